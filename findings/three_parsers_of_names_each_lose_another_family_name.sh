#!/usr/bin/env bash
# nameparser 2.6.0 (PyPI), humanparser 2.7.0 and parse-full-name 1.2.7 (npm): each of them loses part of a different
# person's name.
#
# Guess: Two words without a comma are a first name and a family name. A degree or a particle counts only if another
# word is left for the family name, or if it is written like one, "MA" or "PhD".
# Seen: humanparser takes Ma, one of the most frequent family names in China, for a degree, so Mei Ma has no family
# name, and the first name of "Mr. Ma" is "Mr."; it treats Pe the same way. nameparser does so with Mba, a family name
# in Cameroon and Gabon. parse-full-name takes Van for a particle, so Van Li has no first name. The missing part is
# empty, without an error, so a note can be filed under no family.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check nameparser==2.6.0
npm install --silent --no-fund --no-audit humanparser@2.7.0 parse-full-name@1.2.7 > /dev/null
cat > names.json <<'NAMES'
["Mei Ma", "Mr. Ma", "Ada Pe", "Joseph Mba", "Van Li"]
NAMES
cat > program.py <<'PROGRAM'
import json

from nameparser import HumanName

names = [HumanName(name) for name in json.load(open("names.json"))]
print("nameparser:", ", ".join(f"{name.first or '-'}/{name.last or '-'}" for name in names))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import humanparser from "humanparser";
import { parseFullName } from "parse-full-name";

const names = JSON.parse(readFileSync("names.json", "utf8"));
const parts = (first, last) => `${first || "-"}/${last || "-"}`;
const parsed = names.map((name) => humanparser.parseName(name));
console.log("humanparser:", parsed.map(({ firstName, lastName }) => parts(firstName, lastName)).join(", "));
const full = names.map((name) => parseFullName(name));
console.log("parse-full-name:", full.map(({ first, last }) => parts(first, last)).join(", "));
PROGRAM
found=$(venv/bin/python -W ignore program.py && node program.mjs)
echo "$found"
[ "$found" = "nameparser: Mei/Ma, -/Ma, Ada/Pe, Joseph/-, Van/Li
humanparser: Mei/-, Mr./-, Ada/-, Joseph/Mba, Van/Li
parse-full-name: Mei/Ma, -/Ma, Ada/Pe, Joseph/Mba, -/Van Li" ]
