#!/usr/bin/env bash
# @ax-llm/ax 24.0.21 (npm): of one talk, Claude is not sent the words beside a call of a tool, OpenAI's Responses not
# the second system message, and all but Claude not that the tool failed.
#
# Guess: One `chatPrompt` says the same to each provider that has a place for its parts; what has no place is joined to
# something else, or refused. Going from Chat Completions to Responses changes the form of the request alone.
# Seen: For Claude, a message with a call is the call: "Your code is 4711. I look." is gone, though Claude's own answers
# have words before a call. For Responses, the first system message is the `instructions` and a later one is nothing, so
# that Ann gets nuts; Chat Completions has both. `isError`, for which Gemini has a place, is kept for Claude alone. No
# error and no warning says so.
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
