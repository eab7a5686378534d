#!/usr/bin/env bash
# crewai 1.15.30: a private note that is corrected by a newer one is private no longer, and nobody's.
#
# Guess: A note of Ann's with `private=True` is shown to Ann alone. If she notes another number, private again, and the
# model merges the two, as `remember` lets it, the result is a private note of Ann's.
# Seen: The merged note keeps its id, scope, categories and importance, and loses its source and its privacy; that the
# new note was private changes nothing. Bob, who asks for Ann's PIN, finds nothing until she changes it, and then the
# new one. `update`, which changes a note by its id, keeps both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check crewai==1.15.30
cat > "$folder/program.py" <<'PROGRAM'
import json
import re
import sys

from crewai import BaseLLM
from crewai.memory import Memory

WORDS = ("Ann", "PIN", "boat")


def embed(texts):
    return [[text.count(word) + 0.01 for word in WORDS] for text in texts]


class Model(BaseLLM):
    """Merges a new note into the one that is there, as it is asked to."""

    def call(self, messages, *args, **options):
        record = re.search(r"id=(\S+)", messages[-1]["content"]).group(1)
        action = {"action": "update", "record_id": record, "new_content": "Ann's PIN is 0815."}
        return json.dumps({"actions": [action], "insert_new": False})


memory = Memory(storage=sys.argv[1], embedder=embed, llm=Model(model="m"))


def remember(text):
    memory.remember(text, scope="/home", categories=[], importance=0.5, source="Ann", private=True)


def show(name):
    bob = [match.record.content for match in memory.recall("Ann PIN", depth="shallow", source="Bob")]
    (stored,) = memory.list_records()
    print(f"{name}: private {stored.private}, of {stored.source}, Bob finds {bob}", file=sys.stderr)


remember("Ann's PIN is 4711.")
show("first")
memory.update(memory.list_records()[0].id, content="Ann's PIN is 4712.")
show("updated")
remember("Ann's PIN is 0815.")
show("corrected")
PROGRAM
export CREWAI_STORAGE_DIR="$folder" CREWAI_TRACING_ENABLED=false CREWAI_DISABLE_TELEMETRY=true CREWAI_DISABLE_VERSION_CHECK=true
"$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/notes" > /dev/null 2> "$folder/errors"
found=$(grep -E '^(first|updated|corrected)' "$folder/errors")
echo "crewai==1.15.30:" $found
[ "$found" = "first: private True, of Ann, Bob finds []
updated: private True, of Ann, Bob finds []
corrected: private False, of None, Bob finds [\"Ann's PIN is 0815.\"]" ]
