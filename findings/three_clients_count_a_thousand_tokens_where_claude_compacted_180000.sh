#!/usr/bin/env bash
# langchain-anthropic 1.7.10, any-llm-sdk 1.40.2 and agno 3.1.10, beside pydantic-ai-slim 2.68.0 and litellm 1.110.2: if
# Claude compacts a conversation within a request, the first three count 1,030 of the 184,530 tokens that are paid.
#
# Guess: An answer has the tokens that the provider reports, and clients that read them correctly agree. A request at
# the limit of the conversation is the one whose cost matters.
# Seen: Anthropic reports the summary separately, in `usage.iterations`; the numbers at the top level are those of the
# answer alone. pydantic-ai and litellm add them up. The other three take the top level, so a request that reads 180,000
# tokens to write a summary looks cheap, and hardly counts against a token budget. (Anthropic's page on compaction says
# that the top level leaves the summary out.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for venv in one two; do
    python3 -m venv "$folder/$venv"
done
"$folder/one/bin/pip" install --quiet --disable-pip-version-check anthropic==2.14.0 langchain-anthropic==1.7.10 \
    langchain-core==1.8.3 agno==3.1.10 "pydantic-ai-slim[anthropic]==2.68.0" litellm==1.110.2
"$folder/two/bin/pip" install --quiet --disable-pip-version-check "any-llm-sdk[anthropic]==1.40.2"
cat > "$folder/program.py" <<'PROGRAM'
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "AGNO_TELEMETRY": "false", "ANTHROPIC_API_KEY": "none"}

nothing = {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
summary = {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3_500, **nothing}
words = {"type": "message", "input_tokens": 1_000, "output_tokens": 30, **nothing}
answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-6", "stop_sequence": None}
answer |= {"content": [{"type": "compaction", "content": "Ann is in Oslo."}, {"type": "text", "text": "In Oslo."}]}
answer |= {"usage": {**words, "iterations": [summary, words]}, "stop_reason": "end_turn"}
del answer["usage"]["type"]


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
model, asked = "claude-opus-4-6", [{"role": "user", "content": "Where is Ann?"}]

if sys.argv[1] == "two":
    import any_llm

    asked = {"model": model, "messages": asked, "api_base": address, "api_key": "none"}
    counts = any_llm.completion(provider="anthropic", **asked).usage
    print("any-llm:", counts.prompt_tokens + counts.completion_tokens)
else:
    import litellm
    from agno.agent import Agent as AgnoAgent
    from agno.models.anthropic import Claude
    from langchain_anthropic import ChatAnthropic
    from pydantic_ai import Agent
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    counts = ChatAnthropic(model=model, base_url=address, api_key="none").invoke("Where is Ann?").usage_metadata
    print("langchain-anthropic:", counts["input_tokens"] + counts["output_tokens"])
    claude = Claude(id=model, api_key="none", client_params={"base_url": address})
    counts = AgnoAgent(model=claude, telemetry=False).run("Where is Ann?").metrics
    print("agno:", counts.input_tokens + counts.output_tokens)
    claude = AnthropicModel(model, provider=AnthropicProvider(base_url=address, api_key="none"))
    counts = Agent(claude).run_sync("Where is Ann?", model_settings={"max_tokens": 1000}).usage
    print("pydantic-ai:", counts.input_tokens + counts.output_tokens)
    asked = {"messages": asked, "api_base": address, "api_key": "none"}
    counts = litellm.completion(model=f"anthropic/{model}", **asked).usage
    print("litellm:", counts.prompt_tokens + counts.completion_tokens)
PROGRAM
run() { "$folder/$1/bin/python" -W ignore "$folder/program.py" "$1" 2> /dev/null; }
found=$(run two && run one)
echo $found
[ "$found" = "any-llm: 1030
langchain-anthropic: 1030
agno: 1030
pydantic-ai: 184530
litellm: 184530" ]
