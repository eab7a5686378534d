#!/usr/bin/env bash
# outlines-core 0.2.14 beside jsonschema 4.26.0 and llguidance 1.9.1: if a schema asks for a string with an "@" in it, a
# constrained model can write "@", and no address.
#
# Guess: A model that is constrained by a schema can write everything that the schema allows, and little else. `pattern`
# is a search within the string, as in validators. A date-time may have an offset and six decimals of a second, as
# Python writes them.
# Seen: outlines-core matches a pattern against the whole string: it allows "@" and refuses ann@example.com. A validator
# passes "@", so no error reveals the lost address. A date-time can have neither the offset +01:00 nor six decimals. The
# two parts of a note (`allOf`) become two objects, one after the other, which is not JSON, and an amount of at least 5
# may be 3. llguidance agrees with the validator on each of these values.
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
