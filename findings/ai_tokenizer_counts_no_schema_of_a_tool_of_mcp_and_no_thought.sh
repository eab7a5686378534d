#!/usr/bin/env bash
# ai-tokenizer 1.0.6 (npm) with ai 7.0.173: a tool whose schema is JSON, as of each tool of an MCP server, has an input
# of 0 tokens, and thoughts have none.
#
# Guess: `count` counts "tool descriptions and input schemas" and each message of the AI SDK, as its page says; a schema
# is counted by its content, however it was written, and a reasoning as any other text.
# Seen: It walks through the insides of zod's objects. The same schema, given as `jsonSchema(...)`, as the SDK makes it
# of a server's tools, is 0 tokens; of zod's, an object that is optional is left out. Of a message, a reasoning is
# nothing: 900 tokens that are sent back with the next turn count as 5. No warning is given; the sums look precise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --legacy-peer-deps ai-tokenizer@1.0.6 ai@7.0.173 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { jsonSchema, tool } from "ai";
import Tokenizer, { models } from "ai-tokenizer";
import * as encodings from "ai-tokenizer/encoding";
import { count } from "ai-tokenizer/sdk";
import { z } from "zod";

const model = models["openai/gpt-5"];
const tokenizer = new Tokenizer(encodings[model.encoding]);
const tokens = (messages, tools) => count({ tokenizer, model, messages, tools });
const address = z.object({ street: z.string().describe("Street and number."), city: z.string().describe("City.") });
const to = z.string().describe("The person who is to get the money, as in the address book.");
const schemas = {
  zod: z.object({ to, address }),
  optional: z.object({ to, address: address.optional() }),
  json: jsonSchema(z.toJSONSchema(z.object({ to, address }))),
};
for (const [name, inputSchema] of Object.entries(schemas)) {
  const tools = { pay: tool({ description: "Pays money.", inputSchema }) };
  console.log(name, tokens([], tools).tools.definitions.pay.inputSchema);
}
const text = "Ann asked for her balance, so I look it up first, and then I pay. ".repeat(50);
for (const type of ["text", "reasoning"]) {
  console.log(type, tokens([{ role: "assistant", content: [{ type, text }] }]).messages[0].total);
}
PROGRAM
found=$(node program.mjs)
echo "ai-tokenizer@1.0.6:" $found
[ "$found" = "zod 44
optional 27
json 0
text 906
reasoning 5" ]
