#!/usr/bin/env bash
# langchain-google-genai 4.4.3: of two calls with one id, as some endpoints give them, only one result is sent.
#
# Guess: Results go to the calls in order, since Gemini's own API tells calls apart by name and place; or an error.
# Seen: Both calls are in the request, and the second result is in no part of it. Gemini is sent a call without a result.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-google-genai==4.4.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_google_genai.chat_models import _parse_chat_history

for ids in ("ab", "aa"):
    calls = [{"name": "weather", "args": {"city": city}, "id": id_} for city, id_ in zip(("Oslo", "Bergen"), ids)]
    results = [ToolMessage(text, tool_call_id=id_) for text, id_ in zip(("sunny", "rainy"), ids)]
    said = [HumanMessage("Is it warm?"), AIMessage("", tool_calls=calls), *results]
    sent = str(_parse_chat_history(said, model="gemini-3-pro"))
    print(*(word for word in ("Oslo", "Bergen", "sunny", "rainy") if word in sent), end="; ")
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py 2> "$folder/said")
echo "langchain-google-genai==4.4.3: two ids, one id: $found"
[ "$found" = "Oslo Bergen sunny rainy; Oslo Bergen sunny; " ]
