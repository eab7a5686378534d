#!/usr/bin/env bash
# word2number 1.1 and text2digits 0.1.2: two and a half million in words becomes 2,501,500, 2 or 2.5.
#
# Guess: `word_to_num` reads a number in words, and raises an error for a text that is not one, as for "half".
# text2digits replaces such numbers with digits in a sentence. A number that comes out is the number that was said.
# Seen: For word2number, "two million five hundred thousand" is 2,501,500, and "two point five million" is 2. It adds up
# words that are not one number: "nineteen eighty four" is 1524, and "two cats and three dogs" are 5. "minus five" is 5.
# text2digits gets five of the six right; it writes "two point five million" as "2.5000000", which is 2.5 as a number.
# Neither raises an error. (Upstream knows of the millions of word2number.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check word2number==1.1 text2digits==0.1.2
cat > "$folder/program.py" <<'PROGRAM'
from text2digits.text2digits import Text2Digits
from word2number.w2n import word_to_num

SAID = [
    "two million five hundred thousand",
    "two point five million",
    "three hundred million five thousand",
    "nineteen eighty four",
    "minus five",
    "two cats and three dogs",
]
for said in SAID:
    print(f"{said}: {word_to_num(said)}, {Text2Digits().convert(said)}")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "$found"
[ "$found" = "two million five hundred thousand: 2501500, 2500000
two point five million: 2, 2.5000000
three hundred million five thousand: 300006005, 300005000
nineteen eighty four: 1524, 1984
minus five: 5, -5
two cats and three dogs: 5, 2 cats and 3 dogs" ]
