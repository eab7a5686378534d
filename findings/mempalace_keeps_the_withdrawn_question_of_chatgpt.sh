#!/usr/bin/env bash
# mempalace 3.11.0: of a ChatGPT conversation with an edited question, it keeps the withdrawn question and nothing that
# was said after the new one; the second paragraph of a question stands in the answer.
#
# Guess: The export names the current message of the conversation (`current_node`), so mempalace keeps the conversation
# as its user sees it, or all branches. A user's message is marked as the user's to its end.
# Seen: It goes down from the first message by the first child of each, which is the oldest attempt. So the edit and the
# rest of the conversation are missing, without an error. Only the first line of a message is marked as the user's, so
# it is the assistant who eats no nuts. (The branches are issue 330 of mempalace, open.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps mempalace==3.11.0 pyyaml==6.0.3 \
    python-dateutil==2.9.0.post0 six==1.17.0
cd "$folder"
cat > program.py <<'PROGRAM'
import json
import os
from pathlib import Path

os.environ["HOME"] = os.getcwd()

from mempalace.normalize import normalize


def export(*said):
    nodes = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    for key, parent, role, *parts in said:
        message = {"author": {"role": role}, "content": {"content_type": "text", "parts": parts}}
        nodes[key] = {"id": key, "parent": parent, "children": [], "message": message}
        nodes[parent]["children"].append(key)
    talk = [{"title": "Ann", "current_node": key, "mapping": nodes}]
    Path("conversations.json").write_text(json.dumps(talk), encoding="utf-8")
    return normalize("conversations.json")


begin = [("1", "root", "user", "Hi, I am Ann."), ("2", "1", "assistant", "Hello!")]
withdrawn = [("3", "2", "user", "I live in Oslo."), ("4", "3", "assistant", "A fine town.")]
edited = [("5", "2", "user", "I live in Rome."), ("6", "5", "assistant", "A warm town.")]
further = [("7", "6", "user", "My PIN is 4711."), ("8", "7", "assistant", "Noted.")]
print(export(*begin, *withdrawn, *edited, *further))
print(export(*begin, ("3", "2", "user", "Please note:\n\nI eat no nuts."), ("4", "3", "assistant", "I shall.")))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "mempalace==3.11.0:" "$found"
[ "$found" = "> Hi, I am Ann.
Hello!

> I live in Oslo.
A fine town.

> Hi, I am Ann.
Hello!

> Please note:

I eat no nuts.
I shall." ]
