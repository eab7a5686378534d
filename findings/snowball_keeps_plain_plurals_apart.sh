#!/usr/bin/env bash
# snowballstemmer 3.1.1: a word and its regular plural, in four languages.
#
# Guess: A stemmer gives a noun and its regular plural the same stem, so a question in the singular finds both.
# Seen: Spanish voz and voces, Portuguese avião and aviões, German Nachbar and Nachbarn have two stems each; of the
# Russian котята, two cases of the plural have two. Other plurals (Kusine, cão, casa) do share one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check snowballstemmer==3.1.1
found=$(PYTHONUTF8=1 "$folder/venv/bin/python" - <<'PROGRAM'
import snowballstemmer

PAIRS = {
    "german": [("nachbar", "nachbarn"), ("kusine", "kusinen")],
    "spanish": [("voz", "voces"), ("casa", "casas")],
    "portuguese": [("avião", "aviões"), ("cão", "cães")],
    "russian": [("котята", "котят")],
}
for language, pairs in PAIRS.items():
    stem = snowballstemmer.stemmer(language).stemWord
    print(language, *("same" if stem(one) == stem(other) else "apart" for one, other in pairs), end="; ")
PROGRAM
)
echo "snowballstemmer==3.1.1: $found"
[ "$found" = "german apart same; spanish apart same; portuguese apart same; russian apart; " ]
