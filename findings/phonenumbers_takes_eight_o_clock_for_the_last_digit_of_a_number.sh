#!/usr/bin/env bash
# phonenumbers 9.0.43 (PyPI) and libphonenumber-js 1.13.16 (npm): a number that follows a phone number becomes its last
# digit, even across the end of a sentence.
#
# Guess: A search in a text ends a phone number at a word, a unit or the end of a sentence. A valid result is a number
# that somebody wrote.
# Seen: German and Austrian phone numbers vary in length, so the longer number is valid too. In "030 901820 8 Uhr
# passt", and in "030 901820. 8 Uhr passt", both libraries find +49 30 9018208, which is a different number. A comma or
# a word in between prevents this. Where the length is fixed, as in Britain, the number is not found at all, and neither
# are two German numbers with a space between them. A stricter leniency (STRICT_GROUPING) is right with the full stop,
# and finds nothing without it. (Upstream knows of two adjacent numbers, and of German dates that are taken for
# numbers.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check phonenumbers==9.0.43
npm install --silent --no-fund --no-audit libphonenumber-js@1.13.16 > /dev/null
cat > said.json <<'SAID'
[
  ["DE", "Ruf Anna an, 030 901820, 8 Uhr passt."],
  ["DE", "Ruf Anna an, 030 901820 8 Uhr passt."],
  ["DE", "Anna hat jetzt 030 901820. 8 Uhr passt."],
  ["AT", "Anna: 0664 1234567 5 Kinder"],
  ["DE", "Anna 030 901820 Bob 040 123456"],
  ["DE", "030 901820 040 123456"],
  ["GB", "Call Ann on 020 7946 0018 9 pm"]
]
SAID
cat > program.py <<'PROGRAM'
import json

from phonenumbers import Leniency, PhoneNumberFormat, PhoneNumberMatcher, format_number

for region, said in json.load(open("said.json")):
    numbers = []
    for leniency in (Leniency.VALID, Leniency.STRICT_GROUPING):
        found = [match.number for match in PhoneNumberMatcher(said, region, leniency)]
        numbers.append(" ".join(format_number(number, PhoneNumberFormat.E164) for number in found) or "none")
    print(*numbers, sep="; ")
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { findPhoneNumbersInText } from "libphonenumber-js/max";

for (const [region, said] of JSON.parse(readFileSync("said.json", "utf8"))) {
  const found = findPhoneNumbersInText(said, region).map(({ number }) => number.number);
  console.log(...(found.length ? found : ["none"]));
}
PROGRAM
found=$(venv/bin/python program.py && node program.mjs)
echo "$found"
[ "$found" = "+4930901820; +4930901820
+49309018208; none
+49309018208; +4930901820
+4366412345675; none
+4930901820 +4940123456; +4930901820 +4940123456
none; none
none; none
+4930901820
+49309018208
+49309018208
+4366412345675
+4930901820 +4940123456
none
none" ]
