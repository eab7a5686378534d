#!/usr/bin/env bash
# joblib 1.6.0 and diskcache 5.6.3: after a restart, a talk that is read from its file is another question than the same
# talk was before, and the model is asked again.
#
# Guess: A cache on disk serves the next process too: equal messages, built in the same order, have the same key.
# Seen: The key is made from a pickle, and a pickle records whether two equal parts are one object. A program that marks
# two parts of a prompt with one dictionary (`cache_control`), or sends the same "Yes." message twice, has one object;
# read from JSON, there are two. joblib, which makes up for that with strings, asks again for such a talk, and for a
# pydantic message whose role was a default at first and is now read. diskcache asks again for each talk in which the
# user speaks twice, because "user" was one string and is two. A third run finds all talks, as they are read from their
# file again. (The manual of diskcache says that a key is its pickle.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check joblib==1.6.0 diskcache==5.6.3 pydantic==2.14.3
cat > "$folder/program.py" <<'PROGRAM'
import json
import sys
from pathlib import Path

import diskcache
import joblib
import pydantic


class Message(pydantic.BaseModel):
    role: str = "user"
    content: str


def says(text):
    return {"role": "user", "content": text}


mark, yes = {"type": "ephemeral"}, says("Yes.")
talks = {
    "one turn": [says("Hi.")],
    "two turns": [says("Hi."), {"role": "assistant", "content": "Hello."}, says("Who am I?")],
    "twice yes": [yes, {"role": "assistant", "content": "Sure?"}, yes],
    "two marks": [{"type": "text", "text": text, "cache_control": mark} for text in ("rules", "notes")],
}
models = [Message(content="Hi.")]
if len(sys.argv) > 1:
    before, models_before = talks, models
    talks = json.loads(Path("talks.json").read_text())
    models = [Message.model_validate_json(Path("message.json").read_text())]
    print("equal:", talks == before, models == models_before)
else:
    Path("talks.json").write_text(json.dumps(talks))
    Path("message.json").write_text(models[0].model_dump_json())


def ask(_):
    global asked
    asked += 1


by_joblib, by_diskcache = joblib.Memory("joblib", verbose=0).cache(ask), diskcache.Cache("diskcache").memoize()(ask)
for name, messages in talks.items():
    asked = 0
    by_joblib(messages)
    print(f"{name}:", asked, end=" ")
    asked = 0
    by_diskcache(messages)
    print(asked, end="; ")
asked = 0
by_joblib(models)
print("a model:", asked)
PROGRAM
cd "$folder"
found=$(venv/bin/python program.py && venv/bin/python program.py again && venv/bin/python program.py again)
echo "joblib==1.6.0, diskcache==5.6.3:" $found
[ "$found" = "one turn: 1 1; two turns: 1 1; twice yes: 1 1; two marks: 1 1; a model: 1
equal: True True
one turn: 0 0; two turns: 0 1; twice yes: 1 1; two marks: 1 1; a model: 1
equal: True True
one turn: 0 0; two turns: 0 0; twice yes: 0 0; two marks: 0 0; a model: 0" ]
