#!/usr/bin/env bash
# @mastra/memory 1.31.0 with @mastra/libsql 1.23.1 (npm): a message that is corrected, and a talk that is given to
# another user, are no longer found in their project.
#
# Guess: `semanticRecall` with a `filter` finds the messages of the threads whose metadata fit. A correction changes the
# words of a message and its vector, and nothing of its thread.
# Seen: A message gets the metadata of its thread beside its vector when it is saved, but not when it is written anew:
# after `updateMessages` and after `updateThreadResourceId` it is found without the filter alone. (The manual says that
# old vectors do not hear of later changes to the metadata of a thread; here these do not change.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @mastra/core@1.71.0 @mastra/memory@1.31.0 @mastra/libsql@1.23.1 > /dev/null
cat > program.mjs <<'PROGRAM'
import { LibSQLStore, LibSQLVector } from "@mastra/libsql";
import { Memory } from "@mastra/memory";

const cities = ["Oslo", "Rome", "Kyiv"];
const embedder = {
  specificationVersion: "v3",
  provider: "none",
  modelId: "cities",
  maxEmbeddingsPerCall: 100,
  supportsParallelCalls: true,
  doEmbed: async ({ values }) => ({
    embeddings: values.map((text) => cities.map((city) => (text.includes(city) ? 1 : 0.01))),
    warnings: [],
  }),
};
const url = "file:notes.db";
const storage = new LibSQLStore({ id: "store", url });
const memory = new Memory({ storage, vector: new LibSQLVector({ id: "vector", url }), embedder });
const content = (text) => ({ format: 2, parts: [{ type: "text", text }] });
const finds = async (vectorSearchString, resourceId, filter) => {
  const semanticRecall = { topK: 5, messageRange: 0, threshold: 0.5, filter };
  const threadConfig = { lastMessages: false, semanticRecall };
  const recalled = await memory.recall({ threadId: "new", resourceId, vectorSearchString, threadConfig });
  return recalled.messages.map((message) => message.content.parts[0].text).join() || "nothing";
};
const tell = async (when, city, user) => {
  console.log(`${when}: ${await finds(city, user, { project: "flat" })} | ${await finds(city, user)}`);
};
const of = { threadId: "one", resourceId: "ann" };
await memory.createThread({ ...of, metadata: { project: "flat" } });
const createdAt = (second) => new Date(Date.UTC(2026, 10, 30, 9, 0, second));
const message = (id, text) => ({ ...of, id, role: "user", createdAt: createdAt(Number(id)), content: content(text) });
const threadConfig = { semanticRecall: true };
const messages = [message("1", "The flat in Oslo is dear."), message("2", "The flat in Rome is small.")];
await memory.saveMessages({ messages, memoryConfig: threadConfig });
await tell("saved", "Oslo", "ann");
const corrected = [{ id: "1", content: content("The flat in Kyiv is dear.") }];
await memory.updateMessages({ messages: corrected, memoryConfig: threadConfig });
await tell("corrected", "Kyiv", "ann");
await tell("not corrected", "Rome", "ann");
await memory.updateThreadResourceId({ threadId: "one", resourceId: "bob", memoryConfig: threadConfig });
await tell("given to Bob", "Rome", "bob");
PROGRAM
found=$(node program.mjs)
echo "@mastra/memory@1.31.0:" $found
[ "$found" = "saved: The flat in Oslo is dear. | The flat in Oslo is dear.
corrected: nothing | The flat in Kyiv is dear.
not corrected: The flat in Rome is small. | The flat in Rome is small.
given to Bob: nothing | The flat in Rome is small." ]
