#!/usr/bin/env bash
# agno 3.1.10 and llama-index-llms-openai 0.8.3: if a Responses API answer ends at `max_output_tokens`, it counts as
# 5,440 tokens in one piece and as none in a stream. LlamaIndex's last piece of that stream has no text either.
#
# Guess: A stream is the same answer in pieces, and its last event has the usage, however it ends. The longest answers
# cost the most, so a budget must not miss them.
# Seen: Both wait for `response.completed`, but this stream ends with `response.incomplete`. agno's run is "COMPLETED"
# with 0 tokens, so a sum over runs leaves out each streamed answer that was cut off. In LlamaIndex, the last piece of a
# stream that completes has the whole message and its usage; here it has None for both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agno==3.1.10 openai==2.54.0 \
    llama-index-llms-openai==0.8.3 llama-index-core==0.14.25
cat > "$folder/program.py" <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agno.agent import Agent
from agno.models.openai import OpenAIResponses as AgnoResponses
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai import OpenAIResponses

usage = {"input_tokens": 5010, "output_tokens": 430, "total_tokens": 5440}
usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        status = "incomplete" if asked["max_output_tokens"] == 430 else "completed"
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": status}
        item["content"] = [{"type": "output_text", "text": "Ann is", "annotations": []}]
        answer = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-5", "status": status}
        answer |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "output": [item], "usage": usage}
        answer |= {"incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None}
        events = [
            {"type": "response.created", "response": {**answer, "output": [], "usage": None}},
            {"type": "response.output_text.delta", "delta": "Ann is", **place},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": f"response.{status}", "response": answer},
        ]
        text = "".join(f"data: {json.dumps({**event, 'sequence_number': n})}\n\n" for n, event in enumerate(events))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if asked.get("stream") else "application/json")
        self.end_headers()
        self.wfile.write((text if asked.get("stream") else json.dumps(answer)).encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address, question = f"http://127.0.0.1:{server.server_port}", [ChatMessage("Where is Ann?")]
for limit in (1000, 430):
    print(f"limit of {limit}:")
    model = AgnoResponses(id="gpt-5", base_url=address, api_key="none", max_output_tokens=limit)
    agent = Agent(model=model, telemetry=False)
    *_, last = agent.run("Where is Ann?", stream=True, yield_run_output=True)
    for run in (agent.run("Where is Ann?"), last):
        print("  agno:", run.content, run.status.value, run.metrics.total_tokens)
    model = OpenAIResponses(model="gpt-5", api_base=address, api_key="none", max_output_tokens=limit)
    *_, last = model.stream_chat(question)
    for answer in (model.chat(question), last):
        counts = answer.additional_kwargs.get("usage")
        print("  LlamaIndex:", answer.message.content, counts and counts.total_tokens)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null | grep -v ^WARNING)
echo "agno==3.1.10, llama-index-llms-openai==0.8.3:" $found
[ "$found" = "limit of 1000:
  agno: Ann is COMPLETED 5440
  agno: Ann is COMPLETED 5440
  LlamaIndex: Ann is 5440
  LlamaIndex: Ann is 5440
limit of 430:
  agno: Ann is COMPLETED 5440
  agno: Ann is COMPLETED 0
  LlamaIndex: Ann is 5440
  LlamaIndex: None None" ]
