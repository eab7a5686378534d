#!/usr/bin/env bash
# livekit-agents 1.8.9: if a tool returns a list of numbers, or a JSON list as a string, its items are converted for
# Claude as if they were content blocks; OpenAI, Gemini, Bedrock and Mistral get the text.
#
# Guess: A tool's result is text in the conversation, and each provider gets that text, so a session can go on with
# another model, as with a `FallbackAdapter`.
# Seen: For Anthropic, a result that is a JSON list is parsed, and its items become the content of the result. Prices
# become bare numbers, and notes become objects without a type, where the API takes typed blocks only, such as text,
# images or documents. A list of names stays text, as Python's form of it is not JSON.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check livekit-agents==1.8.9
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json

from livekit.agents.llm import ChatContext, FunctionToolCall, ToolContext, function_tool
from livekit.agents.llm.utils import execute_function_call


@function_tool
async def prices() -> list[int]:
    """The prices of the rooms."""
    return [120, 150]


@function_tool
async def notes() -> str:
    """The notes on Ann."""
    return json.dumps([{"note": "no nuts"}])


@function_tool
async def names() -> list[str]:
    """The names of the rooms."""
    return ["Fig", "Plum"]


def result(sent):
    if not isinstance(sent, dict):
        return next(filter(None, map(result, sent)), None) if isinstance(sent, list) else None
    if sent.get("type") == "tool_result" or sent.get("role") == "tool":
        return sent["content"]
    if "text" in sent or "response" in sent or "result" in sent:
        return sent.get("text") or sent.get("result") or sent["response"]["output"]
    return result(list(sent.values()))


async def main():
    for tool in (prices, notes, names):
        call = FunctionToolCall(name=tool.info.name, arguments="{}", call_id="call_1")
        done = await execute_function_call(call, ToolContext([tool]))
        talk = ChatContext([done.fnc_call, done.fnc_call_out])
        for provider in ("openai", "google", "aws", "mistralai", "anthropic"):
            print(provider, repr(result(talk.to_provider_format(provider, inject_dummy_user_message=False)[0])))


asyncio.run(main())
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py)
echo "livekit-agents==1.8.9:" $found
[ "$found" = "openai '[120, 150]'
google '[120, 150]'
aws '[120, 150]'
mistralai '[120, 150]'
anthropic [120, 150]
openai '[{\"note\": \"no nuts\"}]'
google '[{\"note\": \"no nuts\"}]'
aws '[{\"note\": \"no nuts\"}]'
mistralai '[{\"note\": \"no nuts\"}]'
anthropic [{'note': 'no nuts'}]
openai \"['Fig', 'Plum']\"
google \"['Fig', 'Plum']\"
aws \"['Fig', 'Plum']\"
mistralai \"['Fig', 'Plum']\"
anthropic \"['Fig', 'Plum']\"" ]
