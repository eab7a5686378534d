#!/usr/bin/env bash
# @openai/agents 0.20.0 (npm) beside openai-agents 0.24.0 (PyPI): if the model fails after a tool call, the session in
# JavaScript does not know of the call, and the retried turn calls the tool again.
#
# Guess: A session keeps each finished step of a turn, or at least those that cannot be undone: once the tool has paid,
# the next run tells the model so. The two libraries share a name, and both do this.
# Seen: JavaScript writes a turn into the session at its end, so without an answer there is no call and no result. The
# model cannot know that Ann is paid, so it pays again. Python writes each step as it is done: asked again, the model
# sees the payment.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check openai-agents==0.24.0
npm install --silent --no-fund --no-audit @openai/agents@0.20.0 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { Agent, MemorySession, Runner, setTracingDisabled, tool, Usage } from "@openai/agents";

setTracingDisabled(true);
let [failures, paid] = [0, 0];
const call = { type: "function_call", callId: "a", name: "pay", arguments: "{}", status: "completed" };
const content = [{ type: "output_text", text: "Ann is paid." }];
const getResponse = async ({ input }) => {
  const done = input.some(({ type }) => type === "function_call_result");
  if (done && failures++ === 0) throw new Error("The model cannot be reached.");
  const answer = { type: "message", role: "assistant", status: "completed", content };
  return { usage: new Usage(), output: [done ? answer : call] };
};
const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
const pay = tool({ name: "pay", description: "Pay Ann.", parameters, execute: async () => `Paid, ${++paid}.` });
const agent = new Agent({ name: "Agent", model: { getResponse }, tools: [pay] });
const session = new MemorySession();
await new Runner().run(agent, "Pay Ann.", { session }).catch(() => {});
await new Runner().run(agent, "Pay Ann.", { session });
console.log("JavaScript:", paid, "payments");
PROGRAM
cat > program.py <<'PROGRAM'
import asyncio

from agents import Agent, Model, ModelResponse, RunConfig, Runner, SQLiteSession, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall

paid, requests = [], []


@function_tool
def pay() -> str:
    """Pay Ann."""
    paid.append(True)
    return "Paid."


class Offline(Model):
    async def get_response(self, system_instructions, input, *arguments, **options):
        requests.append(input)
        if any(item.get("type") == "function_call_output" for item in input):
            raise ConnectionError
        call = ResponseFunctionToolCall(type="function_call", call_id="a", name="pay", arguments="{}")
        return ModelResponse(output=[call], usage=Usage(), response_id="b")

    def stream_response(self, *arguments, **options):
        raise NotImplementedError


session, agent = SQLiteSession("ann"), Agent(name="Agent", model=Offline(), tools=[pay])
for attempt in range(2):
    try:
        asyncio.run(Runner.run(agent, "Pay Ann.", session=session, run_config=RunConfig(tracing_disabled=True)))
    except ConnectionError:
        pass
print("Python:", len(paid), "payment,", len(requests), "requests")
PROGRAM
found=$(node program.mjs; venv/bin/python program.py)
echo $found
[ "$found" = "JavaScript: 2 payments
Python: 1 payment, 3 requests" ]
