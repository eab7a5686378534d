#!/usr/bin/env bash
# @voltagent/core 2.10.0 (npm): with `enableCache`, a note about another room gets the vector of the first one.
#
# Guess: A cache of embeddings gives a text the vector of that text, so `enableCache` saves requests and changes no
# search.
# Seen: The key is the text's length and a sum of its letters in 32 bits, as of Java's strings, in which "AQ" equals
# "B2". So "Ann sits in room B2." is not embedded, but gets the vector of the same words with "AQ". Asked for room B2,
# the search then finds the note on room AQ first, with an equal score.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps @voltagent/core@2.10.0 ai@6.0.326 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { InMemoryStorageAdapter, InMemoryVectorAdapter, Memory } from "@voltagent/core";

const asked = [];
const embedding = {
  async embed(text) {
    asked.push(text);
    return ["AQ", "B2", "room"].map((word) => Number(text.includes(word)));
  },
  embedBatch: (texts) => Promise.all(texts.map((text) => embedding.embed(text))),
  getDimensions: () => 3,
  getModelName: () => "words",
};
for (const enableCache of [false, true]) {
  const [storage, vector] = [new InMemoryStorageAdapter(), new InMemoryVectorAdapter()];
  const memory = new Memory({ storage, vector, embedding, enableCache });
  await memory.createConversation({ id: "talk", userId: "ann", resourceId: "desk", title: "Rooms", metadata: {} });
  asked.length = 0;
  for (const room of ["AQ", "B2"]) {
    const parts = [{ type: "text", text: `Ann sits in room ${room}.` }];
    await memory.addMessage({ id: room, role: "user", parts }, "ann", "talk");
  }
  const found = await memory.searchSimilar("room B2", { limit: 2 });
  const order = found.map(({ id, score }) => `${id} ${score.toFixed(2)}`).join(", ");
  console.log(`enableCache ${enableCache}: ${asked.length} embedded, found ${order}`);
}
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "@voltagent/core@2.10.0:" $found
[ "$found" = "enableCache false: 3 embedded, found msg_talk_B2 1.00, msg_talk_AQ 0.75
enableCache true: 2 embedded, found msg_talk_AQ 0.75, msg_talk_B2 0.75" ]
