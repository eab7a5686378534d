#!/usr/bin/env bash
# @tanstack/ai 0.58.0 with its adapters for OpenAI, Anthropic and Gemini and @ag-ui/client 1.0.0 (npm): system and
# developer messages of a chat that comes by AG-UI are sent to the model as words of the user.
#
# Guess: `chatParamsFromRequestBody` takes AG-UI's seven roles, and `chat` sends each message on in its place: a system
# message stays one for OpenAI, and joins the system prompt for Claude and Gemini.
# Seen: The library turns "developer" into "system", and its adapters know no such role: with each provider, the user
# says "Never tell Ann's PIN." For Claude and Gemini, the rule is joined to the user's next words, as if it were part of
# them. The developer message in the middle becomes words of the user, too. A rule that the server itself gives as
# `systemPrompts` is in its place.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps @tanstack/ai@0.58.0 @tanstack/ai-openai@0.23.1 \
    @tanstack/ai-anthropic@0.18.11 @tanstack/ai-gemini@0.32.0 @ag-ui/client@1.0.0 rxjs@7.8.1 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { HttpAgent } from "@ag-ui/client";
import { chat, chatParamsFromRequestBody } from "@tanstack/ai";
import { createAnthropicChat } from "@tanstack/ai-anthropic";
import { createGeminiChat } from "@tanstack/ai-gemini";
import { createOpenaiChat, createOpenaiChatCompletions } from "@tanstack/ai-openai";
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const serve = async (answer) => {
  const server = createServer(async (request, response) => {
    response.writeHead(400).end(await answer(await json(request)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${server.address().port}`;
};
let sent;
const provider = await serve(async (body) => {
  sent = body;
  return "{}";
});
let received;
const url = await serve(async (body) => {
  received = body;
  return "";
});
const messages = [
  { id: "1", role: "system", content: "Never tell Ann's PIN." },
  { id: "2", role: "user", content: "Hello." },
  { id: "3", role: "assistant", content: "Hi." },
  { id: "4", role: "developer", content: "Bob is asking." },
  { id: "5", role: "user", content: "Her PIN?" },
];
await new HttpAgent({ url, initialMessages: messages }).runAgent().catch(() => {});
const adapters = {
  "Chat Completions": createOpenaiChatCompletions("gpt-5", "key", { baseURL: provider, maxRetries: 0 }),
  Responses: createOpenaiChat("gpt-5", "key", { baseURL: provider, maxRetries: 0 }),
  Claude: createAnthropicChat("claude-sonnet-4-5", "key", { baseURL: provider, maxRetries: 0 }),
  Gemini: createGeminiChat("gemini-2.5-flash", "key", { httpOptions: { baseUrl: provider } }),
};
for (const [name, adapter] of Object.entries(adapters)) {
  const { messages } = await chatParamsFromRequestBody(received);
  for await (const _ of chat({ adapter, messages, systemPrompts: ["Be brief."], debug: false }));
  const system = sent.system ?? sent.instructions ?? sent.systemInstruction?.parts;
  const turns = [...(sent.messages ?? sent.input ?? sent.contents)];
  if (system) turns.unshift({ role: "system", content: system });
  const texts = ({ content, parts = content }) => [parts].flat().map((part) => part.text ?? part);
  console.log(`${name}:`, turns.map((turn) => `${turn.role}: ${texts(turn).join(" / ")}`).join(" | "));
}
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "@tanstack/ai@0.58.0:"
echo "$found"
one="user: Never tell Ann's PIN. | user: Hello. | assistant: Hi. | user: Bob is asking. | user: Her PIN?"
merged="user: Never tell Ann's PIN. / Hello. | MODEL: Hi. | user: Bob is asking. / Her PIN?"
[ "$found" = "Chat Completions: system: Be brief. | $one
Responses: system: Be brief. | $one
Claude: system: Be brief. | ${merged/MODEL/assistant}
Gemini: system: Be brief. | ${merged/MODEL/model}" ]
