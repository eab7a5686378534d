#!/usr/bin/env bash
# crewai 1.15.30: `forget` of one user's scope also deletes the notes of users whose number begins alike, notes of no
# user, and notes that are too new.
#
# Guess: Scopes are paths: `forget(scope="/users/1")` deletes the notes at /users/1 and below, and `older_than` keeps
# the newer ones of these. `recall` and `reset` with that scope mean the same notes.
# Seen: The scope is the beginning of a text, and the root is always added to it. So Bob's notes at /users/10 and the
# rule of the house at "/" are deleted with Ann's. With `older_than` of a year ago, all notes of today in the scope go
# all the same, as the age only counts for those at the root. `recall` shows Bob's notes with Ann's, too; `reset` alone
# keeps to the path. (Known upstream: issues 7419 and 7543, and a closed pull request, 6535.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check crewai==1.15.30
cat > "$folder/program.py" <<'PROGRAM'
import sys
from datetime import datetime, timedelta

from crewai.memory import Memory

NOTES = {
    "Ann rows": "/users/1",
    "Ann has a cat": "/users/1/pets",
    "Bob cooks": "/users/10",
    "Dan sings": "/users/2",
    "No shoes in the house": "/",
}


def embed(texts):
    return [[float(letter) for letter in text.encode()[:16].ljust(16)] for text in texts]


def opened(name):
    memory = Memory(storage=f"{sys.argv[1]}/{name}", embedder=embed)
    for text, scope in NOTES.items():
        memory.remember(text, scope=scope, categories=[], importance=0.5)
    return memory


def left(memory):
    texts = [record.content for record in memory.list_records()]
    return ", ".join(text for text in NOTES if text in texts)


memory = opened("recall")
shown = [match.record.content for match in memory.recall("Ann rows", scope="/users/1", depth="shallow")]
print("recalled:", ", ".join(text for text in NOTES if text in shown), file=sys.stderr)
memory = opened("forget")
memory.forget(scope="/users/1")
print("left of all:", left(memory), file=sys.stderr)
memory = opened("old")
memory.forget(scope="/users/1", older_than=datetime.now() - timedelta(days=365))
print("left of the new:", left(memory), file=sys.stderr)
memory = opened("reset")
memory.reset(scope="/users/1")
print("left by reset:", left(memory), file=sys.stderr)
PROGRAM
export CREWAI_STORAGE_DIR="$folder" CREWAI_TRACING_ENABLED=false CREWAI_DISABLE_TELEMETRY=true CREWAI_DISABLE_VERSION_CHECK=true
"$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" > /dev/null 2> "$folder/errors"
found=$(grep -E '^(recalled|left)' "$folder/errors")
echo "crewai==1.15.30:" $found
[ "$found" = "recalled: Ann rows, Ann has a cat, Bob cooks
left of all: Dan sings
left of the new: Dan sings, No shoes in the house
left by reset: Bob cooks, Dan sings, No shoes in the house" ]
