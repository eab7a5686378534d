#!/usr/bin/env bash
# autoevals 0.4.1 (PyPI) and 0.3.0 (npm): `ExactMatch` gives 0 to a call with the right arguments in another order, and
# in Python it gives 1 to an agent that says "None" where it should be silent.
#
# Guess: Two objects with equal members are equal, as they are in Python and in `exact_match` of openevals 0.2.2. The
# docs of `ExactMatch` show an object and a JSON text in "different order but same content", with a score of 1.
# Seen: That very example scores 0 in both languages: each side becomes text, in the order of its members. A model
# chooses the order of its arguments, so a test of calls can fail by chance. 30.0 for 30, as a model may write an
# amount, scores 0 in Python and 1 in JavaScript. In Python, an expected answer of None becomes the text "None", so an
# agent that should not answer may say "None".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check autoevals==0.4.1 openevals==0.2.2
npm install --silent --no-fund --no-audit --ignore-scripts autoevals@0.3.0 zod@4.6.7 > /dev/null
cat > cases.json <<'CASES'
[
  ["the docs", {"name": "John", "age": 30}, "{\"age\": 30, \"name\": \"John\"}"],
  ["another order", {"to": "Ann", "amount": 30}, {"amount": 30, "to": "Ann"}],
  ["a float", "{\"to\": \"Ann\", \"amount\": 30.0}", {"to": "Ann", "amount": 30}],
  ["silence", "None", null]
]
CASES
cat > program.py <<'PROGRAM'
import json

from autoevals import ExactMatch
from openevals.exact import exact_match

cases = json.load(open("cases.json"))
print("Python:", *(f"{name} {ExactMatch().eval(output, expected).score}," for name, output, expected in cases))
_, output, expected = cases[1]
print("openevals:", exact_match(outputs=output, reference_outputs=expected)["score"])
PROGRAM
cat > program.mjs <<'PROGRAM'
import { ExactMatch } from "autoevals";
import { readFileSync } from "node:fs";

const shown = [];
for (const [name, output, expected] of JSON.parse(readFileSync("cases.json", "utf8"))) {
  shown.push(`${name} ${(await ExactMatch({ output, expected })).score},`);
}
console.log("JavaScript:", ...shown);
PROGRAM
found=$(venv/bin/python -W ignore program.py 2> /dev/null && node program.mjs)
echo $found
[ "$found" = "Python: the docs 0, another order 0, a float 0, silence 1,
openevals: True
JavaScript: the docs 0, another order 0, a float 1, silence 0," ]
