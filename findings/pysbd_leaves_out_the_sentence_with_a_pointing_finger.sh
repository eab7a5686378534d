#!/usr/bin/env bash
# pysbd 0.3.4, beside syntok 1.4.4: a sentence with ☝ in it is not among the sentences.
#
# Guess: With `clean=False`, a sentence splitter cuts the text and changes nothing: all pieces together are the text, so
# each fact of a message is in one of them. An emoji is one more character.
# Seen: pysbd puts marks of its own in place of dots and quotation marks, and takes them out again; those marks are ☝,
# ♨, ☄, ♬, ♭ and others, which people write too. A sentence with one of them goes missing: of "Remember ☝️ Ann is
# allergic to nuts. Bob is not.", only the sentence on Bob is left, and a message of one such sentence gives none. No
# error is raised. Nothing is lost with 👆 instead of ☝, or with syntok. (Upstream has an open issue on a text with ☝
# that gives no sentence.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pysbd==0.3.4 syntok==1.4.4
cat > "$folder/program.py" <<'PROGRAM'
import pysbd
from syntok import segmenter

MESSAGES = [
    "Remember ☝️ Ann is allergic to nuts. Bob is not.",
    "Ann loves to go to the ♨️ on Sundays. Bob sleeps.",
    "We sang ♬ for Ann, who is forty now. Bob came late.",
    "Remember 👆 Ann is allergic to nuts. Bob is not.",
]
splitter = pysbd.Segmenter(language="en", clean=False)


def by_syntok(text):
    return [
        "".join(token.spacing + token.value for token in sentence).strip()
        for paragraph in segmenter.process(text)
        for sentence in paragraph
    ]


for message in MESSAGES:
    print(splitter.segment(message))
    assert " ".join(by_syntok(message)) == message
print(splitter.segment("♨ with Ann at 9"))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "$found"
[ "$found" = "['Bob is not.']
['Bob sleeps.']
['Bob came late.']
['Remember 👆 Ann is allergic to nuts. ', 'Bob is not.']
[]" ]
