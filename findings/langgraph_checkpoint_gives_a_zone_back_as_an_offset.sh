#!/usr/bin/env bash
# langgraph-checkpoint 4.3.2: a time in a named zone comes back from a checkpoint with a fixed offset.
#
# Guess: A state that is read from a checkpoint is the state that was written. The serializer keeps types that JSON does
# not know (sets, decimals, named tuples, paths, even a ZoneInfo by itself), so a meeting at noon in Oslo stays one.
# Seen: The time is written as ISO text, so "Europe/Oslo" becomes "+01:00". The two are equal on that day; half a year on,
# a program that was resumed says an hour other than one that ran through.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph-checkpoint==4.3.2 tzdata
cat > "$folder/program.py" <<'PROGRAM'
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

serializer = JsonPlusSerializer()
meeting = datetime(2026, 1, 15, 12, tzinfo=ZoneInfo("Europe/Oslo"))
zone, resumed = (serializer.loads_typed(serializer.dumps_typed(one)) for one in (meeting.tzinfo, meeting))
print(f"a zone by itself: {zone!r}, in a time: {resumed.tzinfo}, equal: {resumed == meeting}")
for time in (meeting, resumed):
    print((time + timedelta(days=182)).astimezone(timezone.utc).strftime("in July: %H:%M UTC"))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langgraph-checkpoint==4.3.2: $found"
[ "$found" = "a zone by itself: zoneinfo.ZoneInfo(key='Europe/Oslo'), in a time: UTC+01:00, equal: True
in July: 10:00 UTC
in July: 11:00 UTC" ]
