#!/usr/bin/env bash
# parsedatetime 2.6: it drops the day, the half or the year from a time, and reports that it understood.
#
# Guess: `parseDT(text, sourceTime)` reads a text relative to a given time, such as that of the message. Its second
# value is 0 if it understood nothing, as for "thirty days ago".
# Seen: "5th of may" and "the third of may" are 1 May, and "may 5th" is 5 May. "half an hour ago" is an hour ago, "half
# a year ago" is a year ago, and "1 hour and 30 minutes ago" lies ahead. "last night" and "an hour and a half ago" are
# counted from the machine's clock, so in a conversation of 2001 they fall in the current year. The second value is not
# 0 for any of these.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check parsedatetime==2.6
cat > "$folder/program.py" <<'PROGRAM'
from datetime import datetime

import parsedatetime

MESSAGE = datetime(2001, 3, 7, 15, 42)
SAID = [
    "thirty days ago",
    "may 5th",
    "5th of may",
    "the third of may",
    "one hour ago",
    "half an hour ago",
    "half a year ago",
    "1 hour and 30 minutes ago",
    "last night",
    "an hour and a half ago",
]
calendar = parsedatetime.Calendar()
for said in SAID:
    time, understood = calendar.parseDT(said, sourceTime=MESSAGE)
    when = f"{time:%-d %B %Y %H:%M}" if time.year < 2002 else "of this year"
    print(f"{said}: {when if understood else 'not understood'}")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "$found"
[ "$found" = "thirty days ago: not understood
may 5th: 5 May 2001 15:42
5th of may: 1 May 2001 15:42
the third of may: 1 May 2001 15:42
one hour ago: 7 March 2001 14:42
half an hour ago: 7 March 2001 14:42
half a year ago: 7 March 2000 15:42
1 hour and 30 minutes ago: 7 March 2001 16:12
last night: of this year
an hour and a half ago: of this year" ]
