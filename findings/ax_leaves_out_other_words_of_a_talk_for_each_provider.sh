#!/usr/bin/env bash
# @ax-llm/ax 24.0.21 (npm): of the same talk, Claude is not sent the words beside a tool call, OpenAI's Responses API is
# not sent the second system message, and only Claude is told that the tool failed.
#
# Guess: One `chatPrompt` says the same to each provider that has a place for its parts; a part without a place is
# joined to another or refused. A move from Chat Completions to Responses changes only the form of the request.
# Seen: For Claude, a message with a call becomes the call alone: "Your code is 4711. I look." is gone, though Claude's
# own answers have words before a call. For Responses, the first system message becomes the `instructions` and a later
# one is dropped, so the model does not know that Ann eats no nuts; Chat Completions is sent both. Of the five providers
# here, only Claude is sent `isError`, though Gemini has a place for it. All this happens without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps @ax-llm/ax@24.0.21 > /dev/null 2>&1
cat > program.mjs <<'PROGRAM'
import { ai } from "@ax-llm/ax";

let sent;
globalThis.fetch = async (url, options) => {
  sent = url instanceof Request ? await url.text() : options.body;
  throw new Error("not sent");
};
const call = { id: "a", type: "function", function: { name: "room", params: { of: "Ann" } } };
const talk = (isError) => [
  { role: "system", content: "Be brief." },
  { role: "system", content: "Ann eats no nuts." },
  { role: "user", content: "What is my code, and where is Ann?" },
  { role: "assistant", content: "Your code is 4711. I look.", functionCalls: [call] },
  { role: "function", functionId: "a", result: "404", isError },
  { role: "user", content: "Which snack for her?" },
];
for (const name of ["openai", "openai-responses", "anthropic", "google-gemini", "mistral"]) {
  const requests = [];
  for (const isError of [false, true]) {
    const options = { stream: false, retry: { maxRetries: 0 } };
    await ai({ name, apiKey: "none" }).chat({ chatPrompt: talk(isError) }, options).catch(() => {});
    requests.push(sent);
  }
  const missing = [];
  if (!sent.includes("nuts")) missing.push("nuts");
  if (!sent.includes("4711")) missing.push("code");
  if (requests[0] === requests[1]) missing.push("failure");
  console.log(`${name}:`, missing.join(", "));
}
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "$found"
[ "$found" = "openai: failure
openai-responses: nuts, failure
anthropic: code
google-gemini: failure
mistral: failure" ]
