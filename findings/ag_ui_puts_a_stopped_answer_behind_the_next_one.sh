#!/usr/bin/env bash
# @ag-ui/client 1.0.0 (npm): a log of events that was compacted tells the talk in another order than it had.
#
# Guess: `compactEvents` makes one event of the many pieces of a message and leaves the rest: replayed, the log gives
# the same messages as before.
# Seen: A message is written at its end, and if it has none, as an answer that the user stopped, at the end of the whole
# log: "I pay Bob", broken off, stands behind the answer in which the model takes it back. A message that is still open
# when a tool is called stands behind the result of the tool; and of two agents that speak at once, the one that ends
# first is the first. All three logs are valid for the library's `verifyEvents`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @ag-ui/client@1.0.0 @ag-ui/core@1.0.0 rxjs@7.8.1 > /dev/null
cat > program.mjs <<'PROGRAM'
import { compactEvents, defaultApplyEvents, HttpAgent, verifyEvents } from "@ag-ui/client";
import { from, lastValueFrom, toArray } from "rxjs";

const start = (messageId) => ({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
const say = (messageId, delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
const end = (messageId) => ({ type: "TEXT_MESSAGE_END", messageId });
const call = [
  { type: "TOOL_CALL_START", toolCallId: "call", toolCallName: "pay" },
  { type: "TOOL_CALL_ARGS", toolCallId: "call", delta: '{"to":"Bob"}' },
  { type: "TOOL_CALL_END", toolCallId: "call" },
  { type: "TOOL_CALL_RESULT", messageId: "result", toolCallId: "call", content: "Paid." },
];
const run = (runId, ...events) => [{ type: "RUN_STARTED", threadId: "talk", runId }, ...events];
const finished = (runId) => ({ type: "RUN_FINISHED", threadId: "talk", runId });
const logs = {
  stopped: [
    ...run("1", start("a"), say("a", "I pay Bob"), { type: "RUN_ERROR", message: "The user stopped it." }),
    ...run("2", start("b"), say("b", "I pay nobody."), end("b"), finished("2")),
  ],
  tool: run("1", start("a"), say("a", "I pay Bob."), ...call, end("a"), finished("1")),
  agents: [
    ...run("1", start("a"), say("a", "Ask Bob."), start("b"), say("b", "I am Bob.")),
    ...[end("b"), end("a"), finished("1")],
  ],
};
const tell = async (events) => {
  const agent = new HttpAgent({ url: "http://localhost", threadId: "talk" });
  const input = { threadId: "talk", runId: "1", messages: [], state: {}, tools: [], context: [], forwardedProps: {} };
  const steps = await lastValueFrom(defaultApplyEvents(input, from(events), agent, []).pipe(toArray()));
  const messages = steps.filter((step) => step.messages).at(-1).messages;
  return messages.map((message) => message.content || `(${message.toolCalls[0].function.name})`).join(" / ");
};
for (const [name, events] of Object.entries(logs)) {
  await lastValueFrom(from(events).pipe(verifyEvents(false), toArray()));
  console.log(`${name}: ${await tell(events)}`);
  console.log("compacted:", await tell(compactEvents(events)));
}
PROGRAM
found=$(node program.mjs)
echo "@ag-ui/client@1.0.0:" $found
[ "$found" = "stopped: I pay Bob / I pay nobody.
compacted: I pay nobody. / I pay Bob
tool: I pay Bob. / (pay) / Paid.
compacted: (pay) / Paid. / I pay Bob.
agents: Ask Bob. / I am Bob.
compacted: I am Bob. / Ask Bob." ]
