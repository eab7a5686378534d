#!/usr/bin/env bash
# dateparser 1.5.0: of a day or an hour that somebody names in a talk, it makes a month.
#
# Guess: On Wednesday, 4 March, "on the 5th" is tomorrow, as "on the 25th" is 25 March; "Friday at 9" is a Friday, as
# "Friday at 9pm" is one. What it does not understand is None, as "half past three" is.
# Seen: In English, a number up to 12 that stands alone is taken for the month, and the weekday is dropped: "on the
# 5th" is 4 May, and "Friday at 9" is 4 September. With DATE_ORDER "DMY" the first is right, and the second is Monday
# the 9th. "tomorrow at 9" is tomorrow at the minute of now. Nothing tells these from dates that were understood.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dateparser==1.5.0
cat > "$folder/program.py" <<'PROGRAM'
from datetime import datetime

import dateparser

days, hours = ("on the 25th", "on the 5th", "Friday at 9pm", "Friday at 9"), ("tomorrow at 9pm", "tomorrow at 9")
settings = {"RELATIVE_BASE": datetime(2026, 3, 4, 17, 42), "PREFER_DATES_FROM": "future"}
for text in (*days, *hours, "half past three"):
    orders = ({}, {"DATE_ORDER": "DMY"})
    dates = [dateparser.parse(text, languages=["en"], settings={**settings, **order}) for order in orders]
    print(f"{text}:", *(date and f"{date:%a %d %b %H:%M}" for date in dates), sep=" | ")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "dateparser==1.5.0: $found"
[ "$found" = "on the 25th: | Wed 25 Mar 00:00 | Wed 25 Mar 00:00
on the 5th: | Mon 04 May 00:00 | Thu 05 Mar 00:00
Friday at 9pm: | Fri 06 Mar 21:00 | Fri 06 Mar 21:00
Friday at 9: | Fri 04 Sep 00:00 | Mon 09 Mar 00:00
tomorrow at 9pm: | Thu 05 Mar 21:00 | Thu 05 Mar 21:00
tomorrow at 9: | Thu 05 Mar 17:42 | Thu 05 Mar 17:42
half past three: | None | None" ]
