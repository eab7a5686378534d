#!/usr/bin/env bash
# @ai-sdk-tools/cache 1.2.0 (npm): a tool that is called with the arguments of another one gets the result of that one.
#
# Guess: `createCached()` gives one function that caches each tool that goes through it, by the tool and its arguments:
# a deletion is run though the same id was looked up before; a search for two words is not a search for one with a
# comma.
# Seen: All tools of one `createCached` share a store, and the key is the arguments alone. After `lookUp({ id: 7 })`,
# `forget({ id: 7 })` is not run, and its result is the note that was looked up. In the key, texts have no marks around
# them: ["figs", "tea"] is one with ["figs,tea"], and "7" with 7. `cacheTools`, which makes a store for each tool, runs
# the deletion. (That tools share keys is known upstream.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @ai-sdk-tools/cache@1.2.0 ai@5.0.277 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { cacheTools, createCached } from "@ai-sdk-tools/cache";
import { tool } from "ai";
import { z } from "zod";

const run = [];
const make = (name, inputSchema) =>
  tool({
    inputSchema,
    execute: async (input) => {
      run.push(`${name} ${JSON.stringify(input)}`);
      return `result of ${name}`;
    },
  });
const tools = {
  lookUp: make("lookUp", z.object({ id: z.number() })),
  forget: make("forget", z.object({ id: z.number() })),
  search: make("search", z.object({ words: z.array(z.string()) })),
};
const cached = createCached();
const shared = Object.fromEntries(Object.entries(tools).map(([name, one]) => [name, cached(one)]));
for (const [name, { lookUp, forget, search }] of Object.entries({ createCached: shared, cacheTools: cacheTools(tools) })) {
  run.length = 0;
  await lookUp.execute({ id: 7 });
  const result = await forget.execute({ id: 7 });
  await search.execute({ words: ["figs", "tea"] });
  await search.execute({ words: ["figs,tea"] });
  console.log(`${name}: forget gives "${result}"; run: ${run.join(", ")}`);
}
PROGRAM
found=$(node program.mjs)
echo "@ai-sdk-tools/cache@1.2.0:" $found
[ "$found" = 'createCached: forget gives "result of lookUp"; run: lookUp {"id":7}, search {"words":["figs","tea"]}
cacheTools: forget gives "result of forget"; run: lookUp {"id":7}, forget {"id":7}, search {"words":["figs","tea"]}' ]
