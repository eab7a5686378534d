#!/usr/bin/env bash
# langchain-ollama 1.1.0 (PyPI) and @langchain/ollama 1.3.0 (npm): a tool's result is sent without the tool's name and
# without the id of its call, so results in another order are mixed up.
#
# Guess: Two tools that run at once answer in the order in which they finish. Each result is matched to its call, and
# Ollama's messages have `tool_name` for that.
# Seen: In both languages, a result is sent as its words alone. The model is shown two calls, for Ann's room and phone,
# and then 4711 and 12, in the order of the history: by their order, 4711 is the room. In JavaScript the calls keep
# their ids, but no result names one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-core==1.8.3 langchain-ollama==1.1.0 ollama==0.6.3
npm install --silent --no-fund --no-audit --legacy-peer-deps @langchain/core@1.4.0 @langchain/ollama@1.3.0 \
    zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOllama } from "@langchain/ollama";

let sent;
const fetch = async (_, { body }) => {
  sent = JSON.parse(body);
  return Response.json({ message: { role: "assistant", content: "Room 4711." }, done: true });
};
const calls = [
  { id: "a", name: "room", args: { of: "Ann" }, type: "tool_call" },
  { id: "b", name: "phone", args: { of: "Ann" }, type: "tool_call" },
];
await new ChatOllama({ model: "none", fetch }).invoke([
  new HumanMessage("Room and phone of Ann?"),
  new AIMessage({ content: "", tool_calls: calls }),
  new ToolMessage({ content: "4711", tool_call_id: "b", name: "phone" }),
  new ToolMessage({ content: "12", tool_call_id: "a", name: "room" }),
]);
const [, { tool_calls }, ...results] = sent.messages;
console.log(...tool_calls.map((call) => call.function.name), JSON.stringify(results));
PROGRAM
cat > program.py <<'PROGRAM'
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_ollama import ChatOllama

sent = []


class Ollama(BaseHTTPRequestHandler):
    def do_POST(self):
        sent.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"message": {"role": "assistant", "content": "Room 4711."}, "done": true}\n')

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Ollama)
threading.Thread(target=server.serve_forever, daemon=True).start()
calls = [{"id": "a", "name": "room", "args": {"of": "Ann"}}, {"id": "b", "name": "phone", "args": {"of": "Ann"}}]
ChatOllama(model="none", base_url=f"http://127.0.0.1:{server.server_port}").invoke([
    HumanMessage("Room and phone of Ann?"),
    AIMessage("", tool_calls=calls),
    ToolMessage("4711", tool_call_id="b", name="phone"),
    ToolMessage("12", tool_call_id="a", name="room"),
])
_, asked, *results = sent[0]["messages"]
print(*(call["function"]["name"] for call in asked["tool_calls"]), json.dumps(results, separators=(",", ":")))
PROGRAM
found=$(node program.mjs && venv/bin/python -W ignore program.py)
echo "$found"
line='room phone [{"role":"tool","content":"4711"},{"role":"tool","content":"12"}]'
[ "$found" = "$line
$line" ]
