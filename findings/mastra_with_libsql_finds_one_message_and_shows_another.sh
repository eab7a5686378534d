#!/usr/bin/env bash
# @mastra/libsql 1.23.1 with @mastra/memory 1.31.0 (npm): of messages with one time, whichever is found, the last one is
# shown.
#
# Guess: The message that the search by vectors finds is shown, by its id, with `messageRange` neighbours on each side,
# also in a chat whose export has times of minutes.
# Seen: With the LibSQL store, the message that was found gives its time alone; shown are the newest of those that are
# not later. So three questions about three cities of one minute get the same answer, the last message, which has no
# word of the question. Nothing says so. With times that differ, and with the store in memory, each gets its own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @mastra/core@1.71.0 @mastra/memory@1.31.0 @mastra/libsql@1.23.1 > /dev/null
cat > program.mjs <<'PROGRAM'
import { InMemoryStore } from "@mastra/core/storage";
import { LibSQLStore, LibSQLVector } from "@mastra/libsql";
import { Memory } from "@mastra/memory";

const cities = ["Oslo", "Rome", "Kyiv", "Lima"];
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
const stores = { libsql: (url) => new LibSQLStore({ id: "store", url }), memory: () => new InMemoryStore() };
for (const [name, store] of Object.entries(stores)) {
  for (const seconds of [1, 0]) {
    const url = `file:${name}${seconds}.db`;
    const semanticRecall = { topK: 1, messageRange: 0, scope: "thread" };
    const options = { lastMessages: false, semanticRecall };
    const vector = new LibSQLVector({ id: "vector", url });
    const memory = new Memory({ storage: store(url), vector, embedder, options });
    const of = { threadId: "one", resourceId: "ann" };
    await memory.createThread(of);
    const messages = cities.map((city, number) => ({
      ...of,
      id: `message-${number}`,
      role: "user",
      createdAt: new Date(Date.UTC(2026, 10, 30, 9, 0, number * seconds)),
      content: { format: 2, parts: [{ type: "text", text: `My sister in ${city} called.` }] },
    }));
    await memory.saveMessages({ messages });
    const shown = [];
    for (const city of cities) {
      const recalled = await memory.recall({ ...of, vectorSearchString: `And my sister in ${city}?` });
      shown.push(recalled.messages.map((message) => message.content.parts[0].text.split(" ")[3]).join("+"));
    }
    console.log(name, `${seconds} s:`, ...shown);
  }
}
PROGRAM
found=$(node program.mjs)
echo "@mastra/libsql@1.23.1:" $found
[ "$found" = "libsql 1 s: Oslo Rome Kyiv Lima
libsql 0 s: Lima Lima Lima Lima
memory 1 s: Oslo Rome Kyiv Lima
memory 0 s: Oslo Rome Kyiv Lima" ]
