#!/usr/bin/env bash
# @anthropic-ai/sdk 1.14.0 and openai 7.59.0 with zod 4.6.7 and @modelcontextprotocol/sdk 1.32.2 (npm): of an argument
# that zod reads as one type and hands on as another, the model is told the other one, and refused when it sends it.
#
# Guess: A tool that is described by a zod schema is shown to the model as the schema wants its input, so arguments that
# fit what was shown are taken, and one schema is shown alike by the clients and by an MCP server.
# Seen: Anthropic's `betaZodTool` and OpenAI's `zodFunction` show the schema of the output, a server of MCP that of the
# input. For `z.stringbool()`, which takes "yes" for true, the first two say "boolean", and answer true with an error,
# "expected string"; they take "yes", which nobody told the model. They also require an argument that has a default.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @anthropic-ai/sdk@1.14.0 openai@7.59.0 zod@4.6.7 \
  @modelcontextprotocol/sdk@1.32.2 > /dev/null
cat > program.mjs <<'PROGRAM'
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { zodFunction } from "openai/helpers/zod";
import { z } from "zod";

const schema = z.object({ urgent: z.stringbool(), kind: z.enum(["cash", "card"]).default("cash") });
const run = (input) => JSON.stringify(input);
const forAnthropic = betaZodTool({ name: "pay", description: "Pays.", inputSchema: schema, run });
const forOpenAI = zodFunction({ name: "pay", parameters: schema });
const server = new McpServer({ name: "bank", version: "1" });
server.registerTool("pay", { inputSchema: schema.shape }, async (input) => ({
  content: [{ type: "text", text: run(input) }],
}));
const client = new Client({ name: "desk", version: "1" });
const [left, right] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(left), client.connect(right)]);
const [forMCP] = (await client.listTools()).tools;

const tools = {
  anthropic: [forAnthropic.input_schema, async (input) => run(forAnthropic.parse(input))],
  openai: [forOpenAI.function.parameters, async (input) => run(forOpenAI.$parseRaw(JSON.stringify(input)))],
  mcp: [
    forMCP.inputSchema,
    async (input) => {
      const { content, isError } = await client.callTool({ name: "pay", arguments: input });
      if (isError) throw new Error(content[0].text);
      return content[0].text;
    },
  ],
};
for (const [name, [{ properties, required }, call]] of Object.entries(tools)) {
  const answers = [];
  for (const urgent of [true, "yes"]) {
    const refused = ({ message }) => message.match(/expected \w+, received \w+/)[0];
    answers.push(await call({ urgent, kind: "cash" }).catch(refused));
  }
  console.log(`${name}: ${properties.urgent.type}, required ${required}; ${answers.join("; ")}`);
}
process.exit();
PROGRAM
found=$(node program.mjs)
echo "@anthropic-ai/sdk@1.14.0, openai@7.59.0:" $found
refused='expected string, received boolean; {"urgent":true,"kind":"cash"}'
[ "$found" = "anthropic: boolean, required urgent,kind; $refused
openai: boolean, required urgent,kind; $refused
mcp: string, required urgent; $refused" ]
