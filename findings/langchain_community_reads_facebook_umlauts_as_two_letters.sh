#!/usr/bin/env bash
# langchain-community 0.4.2: `SingleFileFacebookMessengerChatLoader` reads each letter beyond ASCII as two or more.
#
# Guess: A loader for the export of Messenger reads it: "Café" of Zoë is "Café" of Zoë.
# Seen: Facebook writes the bytes of UTF-8 as if each were a character ("Caf\u00c3\u00a9"), which other readers of its
# export undo. This loader does not: accents, emoji, and all that is written in Greek or Chinese are garbled, in names
# and texts, without an error. Two Chinese characters become six.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-community==0.4.2
cat > "$folder/message_1.json" <<'JSON'
{
  "participants": [{"name": "Zo\u00c3\u00ab"}, {"name": "Bob"}],
  "messages": [
    {"sender_name": "Zo\u00c3\u00ab", "timestamp_ms": 1714594560000, "content": "Caf\u00c3\u00a9"},
    {
      "sender_name": "Bob",
      "timestamp_ms": 1714594500000,
      "content": "\u00e4\u00bb\u008a\u00e5\u00a4\u00a9"
    }
  ]
}
JSON
cat > "$folder/program.py" <<'PROGRAM'
import warnings

warnings.simplefilter("ignore")
from langchain_community.chat_loaders.facebook_messenger import SingleFileFacebookMessengerChatLoader

for message in SingleFileFacebookMessengerChatLoader("message_1.json").load()[0]["messages"]:
    sender, text = message.additional_kwargs["sender"], message.text
    print(len(text), ascii(sender), ascii(text.encode("latin1").decode()))
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "langchain-community==0.4.2:" $found
[ "$found" = "6 'Bob' '\\u4eca\\u5929'
5 'Zo\\xc3\\xab' 'Caf\\xe9'" ]
