#!/usr/bin/env bash
# @tanstack/ai 0.58.0 (npm): two chats that share a content guard and run at once each show the other's answer.
#
# Guess: A middleware is a set of rules and is made once, as its options are the same for all chats. `ctx` tells each
# hook its run, so nothing of one run gets into another. The guard changes the words that its patterns match, and no
# others.
# Seen: `contentGuardMiddleware` keeps the words that it holds back in one place for all runs. Ann's chat gets the words
# that came last, Bob's flight, and Bob reads Ann's code, each under the id of the other's message. One after the other,
# or with a guard for each chat, both are right, so a test of one chat sees nothing. With the strategy "delta", which
# holds nothing back, both are right, too. (The example in its comment makes the guard outside of `chat`, and does not
# say that it is for one run.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @tanstack/ai@0.58.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { chat } from "@tanstack/ai";
import { BaseTextAdapter } from "@tanstack/ai/adapters";
import { contentGuardMiddleware } from "@tanstack/ai/middlewares";

class Model extends BaseTextAdapter {
  name = "model";
  async *chatStream() {
    const run = { runId: `run of ${this.model}`, threadId: `thread of ${this.model}` };
    const message = { messageId: `message to ${this.model}` };
    yield { type: "RUN_STARTED", ...run };
    yield { type: "TEXT_MESSAGE_START", ...message, role: "assistant" };
    for (const delta of this.config.pieces) yield { type: "TEXT_MESSAGE_CONTENT", ...message, delta };
    yield { type: "TEXT_MESSAGE_END", ...message };
    yield { type: "RUN_FINISHED", ...run, finishReason: "stop" };
  }
}

const ask = async (middleware, name, ...pieces) => {
  let read = "";
  const ids = new Set();
  const messages = [{ role: "user", content: "And now?" }];
  for await (const chunk of chat({ adapter: new Model({ pieces }, name), messages, middleware: [middleware] }))
    if (chunk.type === "TEXT_MESSAGE_CONTENT") {
      read += chunk.delta;
      ids.add(chunk.messageId);
    }
  console.log(`${name} reads ${[...ids].join()}: ${read}`);
};
const ann = (guard) => ask(guard, "Ann", "Your damn ", "code is ", "4711.");
const bob = (guard) => ask(guard, "Bob", "Your flight ", "is at ", "nine.");
const guard = (options) => contentGuardMiddleware({ rules: [{ pattern: /damn /g, replacement: "" }], ...options });

console.log("one guard, one after the other");
const shared = guard();
await ann(shared);
await bob(shared);
console.log("a guard each, at once");
await Promise.all([ann(guard()), bob(guard())]);
console.log("one guard in pieces, at once");
const pieces = guard({ strategy: "delta" });
await Promise.all([ann(pieces), bob(pieces)]);
console.log("one guard, at once");
await Promise.all([ann(shared), bob(shared)]);
PROGRAM
found=$(node program.mjs)
echo "@tanstack/ai@0.58.0:"
echo "$found"
right="Ann reads message to Ann: Your code is 4711.
Bob reads message to Bob: Your flight is at nine."
[ "$found" = "one guard, one after the other
$right
a guard each, at once
$right
one guard in pieces, at once
$right
one guard, at once
Ann reads message to Bob: Your flight is at nine.
Bob reads message to Ann: Your code is 4711." ]
