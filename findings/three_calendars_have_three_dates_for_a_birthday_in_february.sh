#!/usr/bin/env bash
# icalendar 7.3.2 with recurring-ical-events 3.8.2 (PyPI), ical.js 2.2.1 and node-ical 0.26.1 (npm): the reminders of
# one calendar fall on different days.
#
# Guess: RFC 5545 says that a date that does not exist is left out and not counted. So a monthly reminder from 31
# January comes on the 31st of each month that has one, and all libraries give the same days for the same file.
# Seen: Python follows the RFC. node-ical goes to 28 February and stays on the 28th: the rent that is due on the 31st is
# due on 28 March and 28 April. A birthday on 29 February is on 1 March in ical.js, and on 28 February in node-ical. If
# the first day does not fit the rule ("each Wednesday, three times", noted on a Monday), which the RFC leaves
# undefined, Python adds it as a fourth day, and JavaScript leaves it out. (Upstream knows of the dates: ical.js has an
# open change, and rrule-temporal 2.2.8 has them right, but a node-ical that uses it needs Node 22.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check icalendar==7.3.2 recurring-ical-events==3.8.2
cd "$folder"
npm install --silent --no-fund --no-audit ical.js@2.2.1 node-ical@0.26.1 rrule-temporal@1.6.0 > /dev/null
reminder() { # NAME START RULE
    printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:notes BEGIN:VEVENT "UID:$1" DTSTAMP:20260101T000000Z \
        "SUMMARY:$1" "DTSTART:$2T100000Z" "RRULE:$3" END:VEVENT END:VCALENDAR > "$1.ics"
}
reminder rent 20260131 "FREQ=MONTHLY;COUNT=4"
reminder birthday 20240229 "FREQ=YEARLY;COUNT=3"
reminder lesson 20260302 "FREQ=WEEKLY;BYDAY=WE;COUNT=3"
cat > program.py <<'PROGRAM'
import sys
from pathlib import Path

import icalendar
import recurring_ical_events

for name in sys.argv[1:]:
    calendar = icalendar.Calendar.from_ical(Path(f"{name}.ics").read_bytes())
    events = recurring_ical_events.of(calendar).between((2024, 1, 1), (2034, 1, 1))
    print("Python", name, *sorted(str(event["DTSTART"].dt.date()) for event in events))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import ICAL from "ical.js";
import ical from "node-ical";

for (const name of process.argv.slice(2)) {
  const text = readFileSync(`${name}.ics`, "utf8");
  const event = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent"));
  const days = [];
  const iterator = event.iterator();
  for (let day; (day = iterator.next()); ) days.push(day.toString().slice(0, 10));
  console.log("ical.js", name, ...days);
  const [reminder] = Object.values(ical.sync.parseICS(text)).filter(({ type }) => type === "VEVENT");
  const dates = reminder.rrule.between(new Date("2024-01-01"), new Date("2034-01-01"));
  console.log("node-ical", name, ...dates.map((date) => date.toISOString().slice(0, 10)));
}
PROGRAM
names="rent birthday lesson"
found=$("$folder/venv/bin/python" program.py $names && node program.mjs $names)
echo "$found"
[ "$found" = "Python rent 2026-01-31 2026-03-31 2026-05-31 2026-07-31
Python birthday 2024-02-29 2028-02-29 2032-02-29
Python lesson 2026-03-02 2026-03-04 2026-03-11 2026-03-18
ical.js rent 2026-01-31 2026-03-31 2026-05-31 2026-07-31
node-ical rent 2026-01-31 2026-02-28 2026-03-28 2026-04-28
ical.js birthday 2024-02-29 2025-03-01 2026-03-01
node-ical birthday 2024-02-29 2025-02-28 2026-02-28
ical.js lesson 2026-03-04 2026-03-11 2026-03-18
node-ical lesson 2026-03-04 2026-03-11 2026-03-18" ]
