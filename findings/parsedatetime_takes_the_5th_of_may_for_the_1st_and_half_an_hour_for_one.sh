#!/usr/bin/env bash
# parsedatetime 2.6: it drops the day, the half or the year of what somebody said, and says that it understood.
#
# Guess: `parseDT(text, sourceTime)` reads a text as of a time that is given, say that of the message; its second value
# is 0 where it understood nothing, as it is for "thirty days ago".
# Seen: "5th of may" is 1 May, as is "the third of may", and "may 5th" is 5 May. "half an hour ago" is an hour ago,
# "half a year ago" a year, and "1 hour and 30 minutes ago" lies ahead. "last night" and "an hour and a half ago" are
# counted from the clock of the machine, so in a talk of 2001 they are of this year. For each of these the second value
# is as for those that are right.
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
