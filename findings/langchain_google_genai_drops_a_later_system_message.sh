#!/usr/bin/env bash
# langchain-google-genai 4.4.3: a system message that is not the first message is left out.
#
# Guess: It joins the system instruction, as a second one behind a first does, or is refused, as by other converters.
# Seen: It is in no part of the request. If a system message also stands first, the later one joins the instruction.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-google-genai==4.4.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_google_genai.chat_models import _parse_chat_history

late = [HumanMessage("Hi!"), AIMessage("Hello."), SystemMessage("She is called Mara."), HumanMessage("Who am I?")]
for messages in (late, [SystemMessage("Be brief."), *late]):
    print("Mara" in str(_parse_chat_history(messages, model="gemini-3-pro")), end="; ")
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py 2> "$folder/said")
echo "langchain-google-genai==4.4.3: alone, behind a first one: $found"
[ "$found" = "False; True; " ]
