#!/usr/bin/env bash
# pint 0.25.3: quantities as people write them become other quantities.
#
# Guess: A string that is not a number with a unit is an error, as "half a litre" is. Any result is the quantity in the
# string.
# Seen: pint drops a comma, and it multiplies at a space, even between two numbers. "1,5 kg", as Germans and the French
# write it, is 15 kg; "1 000 m" is 1 times 0, and "12 500 km" is 6000 km; "2 1/2 h" is one hour. "5 feet 6 inches" is an
# area, so its unit gives the mistake away; the others have the right unit. `unit` of mathjs 15.2.0 (npm) refuses all of
# these.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pint==0.25.3
npm install --silent --no-fund --no-audit mathjs@15.2.0 > /dev/null
cat > said.json <<'SAID'
["1.5 kg", "1,5 kg", "1 000 m", "12 500 km", "2 1/2 h", "5 feet 6 inches"]
SAID
cat > program.py <<'PROGRAM'
import json

import pint

registry = pint.UnitRegistry()
print("pint:", *(registry.Quantity(said) for said in json.load(open("said.json"))), sep=" | ")
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { unit } from "mathjs";

const read = (said) => {
  try {
    return `${unit(said)}`;
  } catch {
    return "refused";
  }
};
console.log("mathjs:", JSON.parse(readFileSync("said.json", "utf8")).map(read).join(" | "));
PROGRAM
found=$(venv/bin/python program.py && node program.mjs)
echo "$found"
[ "$found" = "pint: | 1.5 kilogram | 15 kilogram | 0 meter | 6000 kilometer | 1.0 hour | 30 foot * inch
mathjs: 1.5 kg | refused | refused | refused | refused | refused" ]
