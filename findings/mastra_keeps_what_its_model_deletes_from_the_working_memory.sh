#!/usr/bin/env bash
# @mastra/memory 1.31.0 (npm): a fact that the model sets to null stays in the working memory, and the model is told
# that it is gone.
#
# Guess: In a working memory with a schema, a field that the model leaves out is kept, and a null deletes it, as the
# documentation in the package says beside its example, a profile of optional facts.
# Seen: A null is taken out of the call before it is merged, at each depth, if the schema does not require the field: a
# fact that may be missing is the one that can never be deleted. "Forget my PIN" ends with `success: true`, and the next
# system message has the PIN. (Upstream, nulls are ignored since August 2026, because models write them for fields that
# they do not change; the page still says the other.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @mastra/core@1.71.0 @mastra/memory@1.31.0 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { InMemoryStore } from "@mastra/core/storage";
import { Memory } from "@mastra/memory";
import { z } from "zod";

const text = z.string().optional();
const home = z.object({ city: text }).optional();
const schema = z.object({ name: text, pin: text, home, pets: z.array(z.string()) });
const memory = new Memory({ storage: new InMemoryStore(), options: { workingMemory: { enabled: true, schema } } });
const of = { threadId: "one", resourceId: "ann" };
const update = memory.listTools().updateWorkingMemory;
for (const facts of [
  { name: "Ann", pin: "4711", home: { city: "Oslo" }, pets: ["Mia"] },
  { pin: null, home: { city: null }, pets: [] },
]) {
  const told = await update.execute({ memory: facts }, { agent: of, memory });
  console.log(JSON.stringify(told), await memory.getWorkingMemory(of));
}
const shown = await memory.getSystemMessage({ ...of, memoryConfig: { workingMemory: { enabled: true, schema } } });
console.log("shown to the model:", /"pin":"4711"/.test(shown));
PROGRAM
found=$(node program.mjs)
page=node_modules/@mastra/memory/dist/docs/references/docs-memory-working-memory.md
documented=$(grep -o "Set a field to .null. to delete it" "$page")
echo "@mastra/memory@1.31.0:" $documented, $found
[ "$found" = '{"success":true} {"name":"Ann","pin":"4711","home":{"city":"Oslo"},"pets":["Mia"]}
{"success":true} {"name":"Ann","pin":"4711","home":{"city":"Oslo"},"pets":[]}
shown to the model: true' ]
