#!/usr/bin/env bash
# jellyfish 1.3.0 beside rapidfuzz 3.14.6: 李明 and 王芳 sound alike, and Hindi names are less alike than in the other
# library.
#
# Guess: Codes for sounds are made for English. For a name in another script they raise an error, as
# `match_rating_codex` does for "O'Neil", or they compare the names as they are. Jaro-Winkler is one formula, so both
# libraries give one number for the same names.
# Seen: `match_rating_comparison` is true for two Chinese names of two characters each, and `metaphone` is empty for
# text without Latin letters. So a memory that merges people by sound takes 李明 for 王芳, and Иван for Олег; Ivan and Oleg
# stay two. Jaro-Winkler agrees for Ann and Anna. For अमित, a man, and अमिता, a woman, it is 0.96 in rapidfuzz, which
# counts code points, and 0.82 in jellyfish, which counts a consonant with its vowel as one. A limit of 0.9 merges them
# in rapidfuzz alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check jellyfish==1.3.0 rapidfuzz==3.14.6
cat > "$folder/program.py" <<'PROGRAM'
import jellyfish
from rapidfuzz.distance import JaroWinkler

PAIRS = [("Ann", "Anna"), ("Ivan", "Oleg"), ("Иван", "Олег"), ("李明", "王芳"), ("अमित", "अमिता")]
for one, other in PAIRS:
    alike = jellyfish.match_rating_comparison(one, other)
    sound = jellyfish.metaphone(one) == jellyfish.metaphone(other)
    winkler = jellyfish.jaro_winkler_similarity(one, other), JaroWinkler.similarity(one, other)
    print(one, other, alike, sound, *(f"{score:.2f}" for score in winkler))
PROGRAM
found=$(PYTHONUTF8=1 "$folder/venv/bin/python" "$folder/program.py")
echo "$found"
[ "$found" = "Ann Anna True True 0.94 0.94
Ivan Oleg False False 0.00 0.00
Иван Олег False True 0.00 0.00
李明 王芳 True True 0.00 0.00
अमित अमिता True True 0.82 0.96" ]
