#!/usr/bin/env bash
# outlines-core 0.2.14 beside jsonschema 4.26.0 and llguidance 1.9.1: of the addresses in a schema that asks for a text
# with an "@" in it, a model that is held to it can write one: "@".
#
# Guess: What a schema allows, a model that is held to it may write, and little else: `pattern` is a search within the
# text, as in each validator, and a date and time may have an offset and six digits of a second, as those of Python.
# Seen: A pattern is the whole text: "@" alone can be written, and a validator passes it, so no error tells of the lost
# address. A time has Z or no zone, so that 10:00 in Berlin can be written as 10:00Z alone. The two parts of a note
# (`allOf`) are two objects, one behind the other, which is no JSON; and an amount of at least 5 may be 3. llguidance
# reads each of them as the validator does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check outlines-core==0.2.14 jsonschema==4.26.0 \
    llguidance==1.9.1
cat > "$folder/program.py" <<'PROGRAM'
import json

from jsonschema import Draft202012Validator
from llguidance import LLMatcher, LLTokenizer
from outlines_core import Guide, Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema

end, signs = 0, {chr(code): [code] for code in range(32, 127)}
vocabulary, tokens = Vocabulary(end, signs), LLTokenizer("byte")


def llguidance_allows(schema, text):
    matcher = LLMatcher(tokens, LLMatcher.grammar_from_json_schema(schema))
    written = tokens.tokenize_str(text)
    return matcher.try_consume_tokens(written) == len(written) and matcher.is_accepting()


def outlines_allows(schema, text):
    guide = Guide(Index(build_regex_from_schema(schema), vocabulary))
    for sign in text:
        if ord(sign) not in guide.get_tokens():
            return False
        guide.advance(ord(sign))
    return end in guide.get_tokens()


def part(name):
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


time = {"type": "string", "format": "date-time"}
note = {"allOf": [part("name"), part("pin")]}
for schema, value in (
    ({"type": "string", "pattern": "@"}, "ann@example.com"),
    ({"type": "string", "pattern": "@"}, "@"),
    ({"type": "string", "pattern": "^PIN-[0-9]+$"}, "PIN-4711"),
    (time, "2026-11-30T10:00:00Z"),
    (time, "2026-11-30T10:00:00+01:00"),
    (time, "2026-11-30T10:00:00.123456Z"),
    (note, {"name": "Ann", "pin": "4711"}),
    ({"type": "integer", "minimum": 5}, 3),
):
    text, source = json.dumps(value), json.dumps(schema)
    valid = Draft202012Validator(schema).is_valid(value)
    print(text, valid, llguidance_allows(source, text), outlines_allows(source, text))
print(outlines_allows(json.dumps(note), '{"name": "Ann"}{"pin": "4711"}'))
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "outlines-core==0.2.14:" $found
[ "$found" = '"ann@example.com" True True False
"@" True True True
"PIN-4711" True True True
"2026-11-30T10:00:00Z" True True True
"2026-11-30T10:00:00+01:00" True True False
"2026-11-30T10:00:00.123456Z" True True False
{"name": "Ann", "pin": "4711"} True True False
3 False False True
True' ]
