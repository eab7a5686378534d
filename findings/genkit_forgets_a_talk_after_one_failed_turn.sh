#!/usr/bin/env bash
# genkit 1.42.0 (npm, beta): an agent whose `FileSessionStore` keeps one snapshot forgets the whole talk when the model
# fails once.
#
# Guess: Each snapshot has the whole talk, so `maxPersistedChainLength: 1` keeps the newest state and saves the disk the
# older copies; a turn that fails leaves the session at the last turn that did not.
# Seen: A failed turn is a snapshot, too, and pushes out the one before it, as older than the limit. But only a
# completed snapshot is resumed, and the failed one names a parent that is no longer there. So the next turn with the
# session's id starts an empty talk, and no error says so: the model is sent the question alone. With a limit of 2, or
# without one, it is sent the talk.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit genkit@1.42.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { FileSessionStore, genkit } from "genkit/beta";

const ai = genkit({});
let asked, fails;
ai.defineModel({ name: "model" }, async ({ messages }) => {
  if (fails) throw new Error("overloaded");
  asked = messages.map(({ content }) => content[0].text);
  return { message: { role: "model", content: [{ text: "Noted." }] }, finishReason: "stop" };
});
for (const maxPersistedChainLength of [undefined, 2, 1]) {
  const store = new FileSessionStore(`talks-${maxPersistedChainLength}`, { maxPersistedChainLength });
  const agent = ai.defineAgent({ name: `desk-${maxPersistedChainLength}`, model: "model", store });
  const says = (text) => agent.chat({ sessionId: "ann" }).send(text);
  fails = false;
  await says("I am Ann.");
  await says("I live in Oslo.");
  fails = true;
  await says("Where do I live?").catch(({ message }) => message);
  fails = false;
  await says("Where do I live?");
  console.log(`limit ${maxPersistedChainLength}:`, asked.join(" "));
}
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "genkit@1.42.0:" $found
[ "$found" = "limit undefined: I am Ann. Noted. I live in Oslo. Noted. Where do I live?
limit 2: I am Ann. Noted. I live in Oslo. Noted. Where do I live?
limit 1: Where do I live?" ]
