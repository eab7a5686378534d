#!/usr/bin/env bash
# openai-agents 0.24.0 with @openai/agents 0.20.0 (npm): a question whose turn failed stays in the session in Python,
# and is sent again beside its repetition; in JavaScript it does not.
#
# Guess: A turn that fails, as the model cannot be reached, leaves the session as it was, so that the program or the
# user can try it again; and the two libraries keep one session alike.
# Seen: Python stores the question before it asks the model, and leaves it there. Tried again three times, the model
# reads it four times in a row, and so it does at each later turn. JavaScript stores it with the answer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai-agents==0.24.0
cd "$folder"
npm install --silent --no-fund --no-audit @openai/agents@0.20.0 zod@4.6.7 > /dev/null
cat > program.py <<'PROGRAM'
import asyncio

from agents import Agent, Model, ModelResponse, Runner, SQLiteSession, Usage, set_tracing_disabled
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)
text = ResponseOutputText(text="Hello.", type="output_text", annotations=[])
message = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])


class FourthTime(Model):
    """Cannot be reached three times."""

    asked = []

    async def get_response(self, system_instructions, input, *_, **__):
        self.asked.append(input)
        if len(self.asked) < 4:
            raise ConnectionError("not reached")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


async def main():
    agent, session = Agent(name="agent", model=FourthTime()), SQLiteSession("ann")
    for _ in range(4):
        try:
            await Runner.run(agent, "I am Ann.", session=session)
        except ConnectionError:
            print("kept", len(await session.get_items()), end=", ")
    sent = [item["content"] for item in FourthTime.asked[-1]]
    print("then sent", sent.count("I am Ann."), "and kept", len(await session.get_items()))


asyncio.run(main())
PROGRAM
cat > program.mjs <<'PROGRAM'
import { Agent, MemorySession, run, setTracingDisabled, Usage } from "@openai/agents";

setTracingDisabled(true);
const content = [{ type: "output_text", text: "Hello." }];
const asked = [];
const model = {
  async getResponse({ input }) {
    asked.push(input);
    if (asked.length < 4) throw new Error("not reached");
    return { usage: new Usage(), output: [{ type: "message", role: "assistant", status: "completed", content }] };
  },
};
const [agent, session] = [new Agent({ name: "agent", model }), new MemorySession()];
const kept = [];
for (let number = 0; number < 4; number += 1) {
  try {
    await run(agent, "I am Ann.", { session });
  } catch {
    kept.push(`kept ${(await session.getItems()).length},`);
  }
}
const sent = asked.at(-1).filter((item) => JSON.stringify(item).includes("I am Ann."));
console.log(...kept, "then sent", sent.length, "and kept", (await session.getItems()).length);
PROGRAM
found=$(venv/bin/python -W ignore program.py 2> /dev/null; node program.mjs 2> /dev/null)
echo "openai-agents==0.24.0:" $found
[ "$found" = "kept 1, kept 2, kept 3, then sent 4 and kept 5
kept 0, kept 0, kept 0, then sent 1 and kept 2" ]
