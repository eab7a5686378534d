#!/usr/bin/env bash
# langchain-community 0.4.2: `ChatGPTLoader` leaves out the last conversation of ChatGPT's export, without an error.
#
# Guess: `ChatGPTLoader("conversations.json").load()` reads all conversations of the file.
# Seen: the default, num_logs=-1, is the end of a slice, so the last conversation is not read; 0 reads all. Of an answer
# that the user had written anew, both versions stand in the text, one behind the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-community==0.4.2
cat > "$folder/program.py" <<'PROGRAM'
import json
import pathlib
import warnings

warnings.simplefilter("ignore")
from langchain_community.document_loaders.chatgpt import ChatGPTLoader


def node(id_, parent, role, text):
    message = {"author": {"role": role}, "create_time": 1.0, "content": {"content_type": "text", "parts": [text]}}
    return {"id": id_, "parent": parent, "children": [], "message": message}


nodes = [node("1", None, "user", "Hello."), node("2", "1", "assistant", "Bah."), node("3", "1", "assistant", "Hi!")]
mapping = {one["id"]: one for one in nodes}
talks = [{"title": title, "mapping": mapping, "current_node": "3"} for title in ("first", "last")]
pathlib.Path("conversations.json").write_text(json.dumps(talks), encoding="utf-8")
for options in ({}, {"num_logs": 0}):
    documents = ChatGPTLoader("conversations.json", **options).load()
    print(options, [one.page_content.split()[0] for one in documents], "Bah." in documents[0].page_content)
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "langchain-community==0.4.2: $found"
[ "$found" = "{} ['first'] True
{'num_logs': 0} ['first', 'last'] True" ]
