#!/usr/bin/env bash
# langchain-community 0.4.2: `TelegramChatLoader` reads the export of all chats as one empty chat, and the text of a
# message with a link lacks the link.
#
# Guess: The file result.json is read, whether Telegram exported one chat or all of them; and the text of a message is
# what was written in it.
# Seen: Only the file of one chat is understood. Where all are exported, they stand in a list within the file, and the
# result is one chat without a message, and no error. A message with a link or a word in bold keeps Telegram's parts as
# its content, whose types no model knows: its `text`, and what a summary is made of, is "See  at ." The plain messages
# around it are texts. `merge_chat_runs` puts the words together again.
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
from langchain_community.chat_loaders.telegram import TelegramChatLoader
from langchain_community.chat_loaders.utils import merge_chat_runs
from langchain_core.messages import get_buffer_string

parts = ["See ", {"type": "link", "text": "https://example.org"}, " at ", {"type": "bold", "text": "nine"}, "."]
messages = [
    {"id": 1, "type": "message", "date": "2024-05-01T20:15:00", "from": "Ann", "from_id": "user1", "text": parts},
    {"id": 2, "type": "message", "date": "2024-05-01T20:16:00", "from": "Bob", "from_id": "user2", "text": "Yes."},
]
chat = {"name": "Bob", "type": "personal_chat", "id": 3, "messages": messages}
exports = {"one chat": chat, "all chats": {"about": "", "chats": {"about": "", "list": [chat]}}}
for name, export in exports.items():
    pathlib.Path("result.json").write_text(json.dumps(export))
    sessions = TelegramChatLoader("result.json").load()
    print(name, [len(session["messages"]) for session in sessions])
    for session in sessions:
        print(get_buffer_string(session["messages"]))
    print(*[get_buffer_string(session["messages"]) for session in merge_chat_runs(sessions)])
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "langchain-community==0.4.2:" $found
[ "$found" = "one chat [2]
Human: See  at .
Human: Yes.
Human: See https://example.org at nine.
Human: Yes.
all chats [0]" ]
