#!/usr/bin/env bash
# json-repair 0.64.6 and jsonrepair 3.15.0 (npm): a value that a model forgot to quote comes back as another value, and
# an apostrophe as a quotation mark.
#
# Guess: A value that is no JSON becomes the text that the model wrote, in both libraries, as 2026-11-30 and 72kg do, or
# the answer is refused.
# Seen: json-repair takes the digits in front for the value: 12:30 is 12, "1 000" is 1, and 12€ is 12; a zip code and a
# phone number lose their first character, and a room "#12" is empty, and takes all that follows with it, as a comment.
# An answer with a footnote behind it, "(see [1])", is a list. jsonrepair keeps these as text, or raises an error, but
# in an answer in single quotes it makes "I don"t" of "I don't", and it drops the backslashes of a path. Neither says
# that something was changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check json-repair==0.64.6
cd "$folder"
npm install --silent --no-fund --no-audit jsonrepair@3.15.0 > /dev/null
cat > answers.txt <<'ANSWERS'
{"date": 2026-11-30, "weight": 72kg}
{"time": 12:30, "who": "Ann"}
{"rent": 1 000, "who": "Ann"}
{"price": 12€, "who": "Ann"}
{"zip": 01234, "who": "Ann"}
{"phone": +4722000000, "who": "Ann"}
{"room": #12, "who": "Ann"}
{"city": "Oslo"} (see [1])
{'note': 'I don't eat nuts', 'who': 'Ann'}
{"file": "C:\Users\Ann"}
ANSWERS
cat > program.py <<'PROGRAM'
import json

import json_repair

for answer in open("answers.txt", encoding="utf-8"):
    print(json.dumps(json_repair.loads(answer.strip()), ensure_ascii=False, separators=(",", ":")))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { jsonrepair } from "jsonrepair";
import { readFileSync } from "node:fs";

for (const answer of readFileSync("answers.txt", "utf8").trim().split("\n")) {
  try {
    console.log(JSON.stringify(JSON.parse(jsonrepair(answer))));
  } catch {
    console.log("an error");
  }
}
PROGRAM
python=$(PYTHONUTF8=1 "$folder/venv/bin/python" program.py)
javascript=$(node program.mjs)
paste -d "|" answers.txt <(echo "$python") <(echo "$javascript") | sed 's/|/  ->  /; s/|/  and  /'
[ "$python" = '{"date":"2026-11-30","weight":"72kg"}
{"time":12,"who":"Ann"}
{"rent":1,"who":"Ann"}
{"price":12,"who":"Ann"}
{"zip":1234,"who":"Ann"}
{"phone":4722000000,"who":"Ann"}
{"room":""}
[{"city":"Oslo"},[1]]
{"note":"I don'"'"'t eat nuts","who":"Ann"}
{"file":"C:\\Users\\Ann"}' ]
[ "$javascript" = '{"date":"2026-11-30","weight":"72kg"}
an error
an error
{"price":"12€","who":"Ann"}
{"zip":"01234","who":"Ann"}
an error
{"room":"#12","who":"Ann"}
an error
{"note":"I don\"t eat nuts","who":"Ann"}
{"file":"C:UsersAnn"}' ]
