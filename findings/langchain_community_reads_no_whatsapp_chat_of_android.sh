#!/usr/bin/env bash
# langchain-community 0.4.2: `WhatsAppChatLoader` finds no message in a chat that Android exported, without an error.
#
# Guess: a loader for WhatsApp's export reads what WhatsApp exports.
# Seen: times without seconds, as Android writes them, match no line, and the session is empty. Since WhatsApp puts
# U+202F before "PM", an American iPhone's chat is read with that mark and "PM]" as part of each sender's name.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-community==0.4.2
cat > "$folder/program.py" <<'PROGRAM'
import pathlib
import warnings

warnings.simplefilter("ignore")
from langchain_community.chat_loaders.whatsapp import WhatsAppChatLoader

chats = {
    "Android": "3/13/26, 9:05\u202fPM - Nora: Hello.\n3/13/26, 9:06\u202fPM - Otto: Hi.\n",
    "iPhone": "[3/13/26, 9:05:00\u202fPM] Nora: Hello.\n[3/13/26, 9:06:00\u202fPM] Otto: Hi.\n",
}
for name, text in chats.items():
    pathlib.Path("chat.txt").write_text(text, encoding="utf-8")
    messages = WhatsAppChatLoader("chat.txt").load()[0]["messages"]
    print(name, ascii([message.additional_kwargs["sender"] for message in messages]))
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "langchain-community==0.4.2: $found"
[ "$found" = "Android []
iPhone ['\\u202fPM] Nora', '\\u202fPM] Otto']" ]
