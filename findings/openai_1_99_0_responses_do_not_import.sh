#!/usr/bin/env bash
# openai 1.99.0: the Responses API of a client, sync or async, cannot be reached.
#
# Guess: A release of the client that is to be had from the index can at least name each API; `pip check` and an import
# of the package would show what is missing.
# Seen: Both pass, chat completions work, and `client.responses` raises an ImportError; 1.99.1 has it again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
cat > "$folder/program.py" <<'PROGRAM'
import openai

for client in (openai.OpenAI(api_key="none"), openai.AsyncOpenAI(api_key="none")):
    client.chat.completions
    try:
        client.responses
        print("ok")
    except ImportError as error:
        print(str(error).partition(" (")[0])
PROGRAM
found=
for version in 1.99.0 1.99.1; do
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "openai==$version"
    "$folder/venv/bin/pip" --disable-pip-version-check check >/dev/null
    found+="$version $("$folder/venv/bin/python" "$folder/program.py" | sort -u); "
done
echo "$found"
[ "$found" = "1.99.0 cannot import name 'ResponseReasoningSummaryDoneEvent' from 'openai.types.responses'; 1.99.1 ok; " ]
