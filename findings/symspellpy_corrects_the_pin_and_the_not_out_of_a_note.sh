#!/usr/bin/env bash
# symspellpy 6.10.1 with the English dictionary in its package: a corrected note says something else.
#
# Guess: `lookup_compound` corrects the spelling of a whole text, which is its purpose. A number is not a word, and a
# missing apostrophe leads to "don't", which is in the dictionary.
# Seen: Each piece becomes the nearest word within two changes, and a number is a piece: the PIN 4711 becomes "of of", a
# debt of 50 euros becomes "of euros", and half past nine becomes "a of". "i dont like figs" becomes "i done like figs",
# which has lost the "not". Mina becomes "mind". With `ignore_non_words=True` numbers stay, but the time loses its
# colon, and "dont" is still "done".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check symspellpy==6.10.1
cat > "$folder/program.py" <<'PROGRAM'
from importlib.resources import files

from symspellpy import SymSpell

NOTES = ["i lvoe tea", "my pin is 4711", "i owe bob 50 euros", "we meet at 9:30", "i dont like figs", "mina is my aunt"]
speller = SymSpell()
speller.load_dictionary(files("symspellpy") / "frequency_dictionary_en_82_765.txt", term_index=0, count_index=1)
print("don't" in speller.words, "dont" in speller.words)
for note in NOTES:
    both = (speller.lookup_compound(note, 2, ignore_non_words=ignore)[0].term for ignore in (False, True))
    print(f"{note}:", ", ".join(both))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "$found"
[ "$found" = "True False
i lvoe tea: i love tea, i love tea
my pin is 4711: my pin is of of, my pin is 4711
i owe bob 50 euros: i owe bob of euros, i owe bob 50 euros
we meet at 9:30: we meet at a of, we meet at 9 30
i dont like figs: i done like figs, i done like figs
mina is my aunt: mind is my aunt, mind is my aunt" ]
