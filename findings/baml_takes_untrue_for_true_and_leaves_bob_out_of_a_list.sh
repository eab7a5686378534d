#!/usr/bin/env bash
# baml-py 0.226.3: an answer in words is taken for what it denies, a number for another one, and an item that lacks a
# member is left out of a list.
#
# Guess: BAML reads an answer that is not quite in the form that was asked for (words around a value, a fence, a comma
# too many), and raises an error for one that says something else.
# Seen: A value counts as found if its letters are anywhere in the answer, also within a word: "It is untrue." is True,
# "This is not a refund." is REFUND, and of "yes", "no" and "unknown", "I know nothing about it." is "no", as "know" has
# "no" in it. "10k" is 10, and "3,5" is 35.0, as in English a comma stands between thousands. Of two notes, the one that
# calls `who` by another name is missing, and of two in a draft and a final form, the draft is kept. "Yes." as a bool is
# an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check baml-py==0.226.3 pydantic==2.14.4
cd "$folder"
mkdir baml_src
cat > baml_src/main.baml <<'BAML'
generator python {
  output_type "python/pydantic"
  output_dir "../"
  version "0.226.3"
  default_client_mode sync
}
client<llm> Model {
  provider openai
  options {
    model "m"
    base_url "http://127.0.0.1:1/v1"
    api_key "key"
  }
}
enum Kind {
  REFUND
  BILLING
}
class Note {
  who string
  text string
}
BAML
while read -r name type; do
    cat >> baml_src/main.baml <<BAML
function $name(text: string) -> $type {
  client Model
  prompt #"
    {{ text }} {{ ctx.output_format }}
  "#
}
BAML
done <<'FUNCTIONS'
ReadBool bool
ReadKind Kind
ReadAnswer "yes" | "no" | "unknown"
ReadInt int
ReadFloat float
ReadNote Note
ReadNotes Note[]
FUNCTIONS
venv/bin/baml-cli generate > /dev/null 2>&1
cat > program.py <<'PROGRAM'
from baml_client import b
from baml_py.errors import BamlError

ANSWERS = (
    ("ReadBool", "The answer is true."),
    ("ReadBool", "It is untrue."),
    ("ReadBool", "Yes."),
    ("ReadKind", "This is a refund."),
    ("ReadKind", "This is not a refund."),
    ("ReadAnswer", "unknown"),
    ("ReadAnswer", "I know nothing about it."),
    ("ReadInt", "10k"),
    ("ReadFloat", "3,5"),
    ("ReadNote", 'Draft: {"who": "Ann", "text": "Oslo"} Final: {"who": "Ann", "text": "Rome"}'),
    ("ReadNotes", '[{"who": "Ann", "text": "figs"}, {"name": "Bob", "text": "tea"}]'),
)
for name, answer in ANSWERS:
    try:
        print(f"{answer} ->", getattr(b.parse, name)(answer))
    except BamlError:
        print(f"{answer} -> an error")
PROGRAM
found=$(BAML_LOG=off venv/bin/python program.py)
echo "baml-py==0.226.3: $found"
[ "$found" = 'The answer is true. -> True
It is untrue. -> True
Yes. -> an error
This is a refund. -> Kind.REFUND
This is not a refund. -> Kind.REFUND
unknown -> unknown
I know nothing about it. -> no
10k -> 10
3,5 -> 35.0
Draft: {"who": "Ann", "text": "Oslo"} Final: {"who": "Ann", "text": "Rome"} -> who='"'Ann' text='Oslo'"'
[{"who": "Ann", "text": "figs"}, {"name": "Bob", "text": "tea"}] -> '"[Note(who='Ann', text='figs')]" ]
