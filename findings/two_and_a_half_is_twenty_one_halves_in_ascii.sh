#!/usr/bin/env bash
# anyascii 0.3.3 and unidecode 1.4.0 (PyPI), transliteration 2.6.1 (npm), and NFKC of Python: in three of the four, 2½
# becomes 21/2.
#
# Guess: Making a text comparable before it is stored, in ASCII or in the compatible form of Unicode, changes letters
# and keeps numbers: 2½ is 2.5, or "2 1/2", as Python itself reads ½ as 0.5.
# Seen: Only unidecode puts a space before each fraction. In the others, two and a half pills are "21/2", ten and a half
# (NFKC has the fraction slash, U+2044, which the program prints as "/"). transliteration does this to a half and three
# quarters, and puts the space before a third. In all four a power becomes plain digits: 10² is 102. So the stored dose
# is not the one that was noted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check anyascii==0.3.3 unidecode==1.4.0
npm install --silent --no-fund --no-audit transliteration@2.6.1 > /dev/null
cat > program.py <<'PROGRAM'
import sys
import unicodedata

from anyascii import anyascii
from unidecode import unidecode

print("unidecode:", *(" ".join(unidecode(said).split()) for said in sys.argv[1:]), sep=" | ")
print("anyascii:", *map(anyascii, sys.argv[1:]), sep=" | ")
print("NFKC:", *(unicodedata.normalize("NFKC", said).replace("\u2044", "/") for said in sys.argv[1:]), sep=" | ")
PROGRAM
cat > program.mjs <<'PROGRAM'
import { transliterate } from "transliteration";

console.log(["transliteration:", ...process.argv.slice(2).map((said) => transliterate(said).trim())].join(" | "));
PROGRAM
set -- "2½" "5¾" "1⅓" "10²"
found=$(PYTHONUTF8=1 venv/bin/python program.py "$@" && node program.mjs "$@")
echo "$found"
[ "$found" = "unidecode: | 2 1/2 | 5 3/4 | 1 1/3 | 102
anyascii: | 21/2 | 53/4 | 11/3 | 102
NFKC: | 21/2 | 53/4 | 11/3 | 102
transliteration: | 21/2 | 53/4 | 1 1/3 | 102" ]
