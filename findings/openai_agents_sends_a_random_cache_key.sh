#!/usr/bin/env bash
# openai-agents 0.24.0: equal runs send different requests to OpenAI's own address.
#
# Guess: The same agent, asked the same with no session, sends the same body, so that a recording can be replayed.
# Seen: Each run makes up a `prompt_cache_key` where the client has OpenAI's address, and none where it has another one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai-agents==0.24.0 openai==3.57.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import json

import agents
import openai

agents.set_tracing_disabled(True)
ANSWER = {"role": "assistant", "content": "Fine."}
REPLY = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": ANSWER}],
}
library = openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]  # httpx, or what took its place
http = __import__(library)


def bodies(address):
    """The bodies of two runs; nothing leaves the process."""
    sent = []

    def answer(request):
        sent.append(json.loads(request.content))
        return http.Response(200, json=REPLY)

    async def run():
        client = openai.AsyncOpenAI(
            api_key="none", base_url=address, http_client=http.AsyncClient(transport=http.MockTransport(answer))
        )
        model = agents.OpenAIChatCompletionsModel("m", client)
        for _ in range(2):
            await agents.Runner.run(agents.Agent("a", model=model), "How are you?")

    asyncio.run(run())
    return sent


for address in ("https://api.openai.com/v1", "https://models.example/v1"):
    one, other = bodies(address)
    print(one == other, sorted(name for name in one if one[name] != other.get(name)))
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "openai-agents==0.24.0: $found"
[ "$found" = "False ['prompt_cache_key']
True []" ]
