#!/usr/bin/env bash
# @llamaindex/google 0.4.1, @llamaindex/ollama 0.1.24 and @llamaindex/anthropic 0.3.27 (npm): Gemini gets the system
# prompt as words of the user, and a local model gets the results of tools without their calls.
#
# Guess: LlamaIndex sends a conversation to each model in that model's own form: the system prompt in its place, a call
# with the words beside it, and the result after it. If something has no place, an error says so.
# Seen: Gemini gets no `systemInstruction`. The system message becomes a part of the user's message, so the user says
# "Keep the code 4711 to yourself." before "Hi."; the words beside a call are left out. Ollama gets the words without
# the call, and then a result that nobody asked for. Claude gets all of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps llamaindex@0.12.1 @llamaindex/core@0.6.23 \
    @llamaindex/google@0.4.1 @llamaindex/ollama@0.1.24 @llamaindex/anthropic@0.3.27 zod@4.6.7 > /dev/null 2>&1
cat > program.mjs <<'PROGRAM'
import { anthropic } from "@llamaindex/anthropic";
import { gemini } from "@llamaindex/google";
import { ollama } from "@llamaindex/ollama";

let sent;
globalThis.fetch = async (url, options) => {
  sent = JSON.parse(url instanceof Request ? await url.text() : options.body);
  const message = { role: "assistant", content: "Well." };
  const candidates = [{ content: { role: "model", parts: [{ text: "Well." }] }, finishReason: "STOP" }];
  return Response.json({ candidates, message, content: [{ type: "text", text: "Well." }], usage: {} });
};
const call = { id: "a", name: "room", input: { of: "Ann" } };
const result = { id: "a", result: "Room 12.", isError: false };
const messages = [
  { role: "system", content: "Keep the code 4711 to yourself." },
  { role: "user", content: "Hi. Where is Ann?" },
  { role: "assistant", content: "I look.", options: { toolCall: [call] } },
  { role: "user", content: "Room 12.", options: { toolResult: result } },
  { role: "assistant", content: "In room 12." },
  { role: "user", content: "What did I tell you?" },
];
const show = (part) => {
  if (typeof part === "string") return part;
  return part.text ?? part.type ?? Object.keys(part)[0];
};
const models = {
  Claude: anthropic({ apiKey: "none", model: "claude-sonnet-4-5" }),
  Gemini: gemini({ apiKey: "none", model: "gemini-2.5-flash" }),
  Ollama: ollama({ model: "none" }),
};
for (const [name, model] of Object.entries(models)) {
  await model.chat({ messages: structuredClone(messages) });
  console.log(`${name}, system: ${JSON.stringify((sent.system ?? sent.systemInstruction)?.[0]?.text)}`);
  for (const { role, content, parts, tool_calls } of (sent.contents ?? sent.messages).slice(0, -2)) {
    console.log(`  ${role}:`, [parts ?? content].flat().map(show).join(" | "), tool_calls ?? "");
  }
}
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null | sed 's/ *$//')
echo "$found"
[ "$found" = 'Claude, system: "Keep the code 4711 to yourself."
  user: Hi. Where is Ann?
  assistant: I look. | tool_use
  user: tool_result
Gemini, system: undefined
  user: Keep the code 4711 to yourself. | Hi. Where is Ann?
  model: functionCall
  user: functionResponse
Ollama, system: undefined
  system: Keep the code 4711 to yourself.
  user: Hi. Where is Ann?
  assistant: I look.
  tool: Room 12.' ]
