#!/usr/bin/env bash
# ai 7.0.173 with @ai-sdk/mcp 2.0.99, @ai-sdk/anthropic 4.0.105 and a server of @modelcontextprotocol/server 2.4.0
# (npm): if a tool of an MCP server fails, the model and the history see a tool that did its work.
#
# Guess: The AI SDK treats a result with `isError`, MCP's mark of a failure, like a tool of its own that throws: a
# "tool-error" in the step, `error-text` in the messages and `is_error` for Claude.
# Seen: It is a "tool-result", and Claude is sent no mark: two talks whose result is 404, once as a failure and once as
# the room that was asked for, are the same request. A program that counts failures finds none. If one of the SDK's own
# tools throws the same words, they are an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit ai@7.0.173 @ai-sdk/mcp@2.0.99 @ai-sdk/anthropic@4.0.105 \
    @modelcontextprotocol/server@2.4.0 zod@4.6.7 > /dev/null 2>&1
cat > server.mjs <<'PROGRAM'
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const server = new McpServer({ name: "rooms", version: "1" });
const content = [{ type: "text", text: "404" }];
server.registerTool("found", { description: "The room." }, async () => ({ content }));
server.registerTool("failed", { description: "The room." }, async () => ({ content, isError: true }));
await server.connect(new StdioServerTransport());
PROGRAM
cat > program.mjs <<'PROGRAM'
import { createAnthropic } from "@ai-sdk/anthropic";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { generateText, isStepCount, jsonSchema, tool } from "ai";

const transport = new Experimental_StdioMCPTransport({ command: "node", args: ["server.mjs"] });
const client = await createMCPClient({ transport });
const { found, failed } = await client.tools();
const inputSchema = jsonSchema({ type: "object", properties: {} });
const execute = async () => {
  throw new Error("404");
};
const own = tool({ description: "The room.", inputSchema, execute });
for (const [name, room] of Object.entries({ found, failed, own })) {
  let result;
  const fetch = async (_, { body }) => {
    const last = JSON.parse(body).messages.at(-1).content[0];
    const answer = { id: "a", type: "message", role: "assistant", model: "none" };
    const usage = { input_tokens: 1, output_tokens: 1 };
    if (last.type === "tool_result") {
      result = last;
      const content = [{ type: "text", text: "Well." }];
      return Response.json({ ...answer, usage, content, stop_reason: "end_turn" });
    }
    const content = [{ type: "tool_use", id: "call", name: "room", input: {} }];
    return Response.json({ ...answer, usage, content, stop_reason: "tool_use" });
  };
  const model = createAnthropic({ apiKey: "none", fetch })("claude-sonnet-4-5");
  const { steps } = await generateText({ model, tools: { room }, prompt: "Where?", stopWhen: isStepCount(2) });
  console.log(`${name}: ${steps[0].content.at(-1).type}, ${result.is_error ?? "no mark"}`);
}
await client.close();
process.exit();
PROGRAM
found=$(node program.mjs 2> /dev/null)
echo "$found"
[ "$found" = "found: tool-result, no mark
failed: tool-result, no mark
own: tool-error, true" ]
