#!/usr/bin/env bash
# llama-index-llms-openai 0.8.3: of two calls of tools in one chunk of a stream, the second is dropped.
#
# Guess: A chunk of a streamed chat completion may have several tool calls, as its `tool_calls` is a list; each is run.
# Seen: Only the first call of each chunk is taken. The same two calls in two chunks are both run. So an agent that is
# recorded at a server that sends them together never runs its second tool, and no error says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    llama-index-core==0.14.25 llama-index-llms-openai==0.8.3 llama-index-llms-openai-like==0.8.1 openai==2.54.0
cat > "$folder/program.py" <<'PROGRAM'
import json

import openai
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike

library = openai.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0]  # httpx, or what took its place
http = __import__(library)
CALLS = [
    {"index": place, "id": str(place), "type": "function", "function": {"name": name, "arguments": '{"of": "Oslo"}'}}
    for place, name in enumerate(("temperature", "rate"))
]
HEAD = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def called(*deltas):
    """The tools that LlamaIndex hears of in a stream of these deltas."""
    chunks = [{**HEAD, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    transport = http.MockTransport(
        lambda request: http.Response(200, headers={"content-type": "text/event-stream"}, text=body)
    )
    model = OpenAILike(
        model="m", api_base="http://model.invalid/v1", api_key="none", is_chat_model=True,
        is_function_calling_model=True, http_client=http.Client(transport=transport),
    )
    tools = [FunctionTool.from_defaults(lambda of: of, name=name) for name in ("temperature", "rate")]
    *_, last = model.stream_chat_with_tools(tools, "How cold and dear is it?")
    return [call.tool_name for call in model.get_tool_calls_from_response(last)]


print(called({"tool_calls": CALLS[:1]}, {"tool_calls": CALLS[1:]}))
print(called({"tool_calls": CALLS}))
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" -W ignore program.py)
echo "llama-index-llms-openai==0.8.3: $found"
[ "$found" = "['temperature', 'rate']
['temperature']" ]
