#!/usr/bin/env bash
# @langchain/mcp-adapters 1.1.4 and @ai-sdk/mcp 2.0.99 (npm), langchain-mcp-adapters 0.3.2 (PyPI), with a server of
# @modelcontextprotocol/server 2.4.0: of the same tool results, one client shows the model parts that another hides from
# it.
#
# Guess: The text in a result is the tool's answer, plain or in an embedded resource, which is how a server hands over a
# note; each client shows it to the model. Structured content is shown beside the text or not at all, alike in the two
# LangChains.
# Seen: LangChain for JavaScript moves the embedded note into the artifact, so the model sees "One note:" and no note;
# in Python it sees the note. (The JavaScript README has that as the default of `outputHandling`.) LangChain for
# JavaScript shows structured content with the text, as one piece of JSON; the other two do not show it. LangChain for
# Python refuses a sound, and the AI SDK sends it to the model as base64 text.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check langchain-mcp-adapters==0.3.2 langchain-core==1.8.3 mcp==1.30.0
npm install --silent --no-fund --no-audit --legacy-peer-deps @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 \
    @langchain/langgraph@1.7.3 ai@7.0.173 @ai-sdk/mcp@2.0.99 @modelcontextprotocol/server@2.4.0 zod@4.6.7 \
    > /dev/null 2>&1
cat > server.mjs <<'PROGRAM'
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const server = new McpServer({ name: "notes", version: "1" });
const resource = { uri: "note://ann", mimeType: "text/plain", text: "No nuts." };
const results = {
  note: { content: [{ type: "text", text: "One note:" }, { type: "resource", resource }] },
  structured: { content: [{ type: "text", text: "One note." }], structuredContent: { note: "No nuts." } },
  sound: { content: [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }] },
};
for (const [name, result] of Object.entries(results)) {
  server.registerTool(name, { description: "Notes on Ann." }, async () => result);
}
await server.connect(new StdioServerTransport());
PROGRAM
cat > program.mjs <<'PROGRAM'
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

const server = { command: "node", args: ["server.mjs"] };
const langchain = new MultiServerMCPClient({ mcpServers: { notes: { transport: "stdio", ...server } } });
for (const tool of await langchain.getTools()) {
  const { content } = await tool.invoke({ type: "tool_call", id: "a", name: tool.name, args: {} });
  console.log(`LangChain for JavaScript, ${tool.name}:`, JSON.stringify(content));
}
await langchain.close();
const ai = await createMCPClient({ transport: new Experimental_StdioMCPTransport(server) });
for (const [name, tool] of Object.entries(await ai.tools())) {
  const output = await tool.execute({}, { toolCallId: "a", messages: [] });
  const { value } = await tool.toModelOutput({ toolCallId: "a", input: {}, output });
  console.log(`AI SDK, ${name}:`, value.map(({ text }) => text).join(" | "));
}
await ai.close();
PROGRAM
cat > program.py <<'PROGRAM'
import asyncio

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main():
    server = {"transport": "stdio", "command": "node", "args": ["server.mjs"]}
    for tool in await MultiServerMCPClient({"notes": server}).get_tools():
        try:
            message = await tool.ainvoke({"type": "tool_call", "id": "a", "name": tool.name, "args": {}})
            print(f"LangChain for Python, {tool.name}:", " | ".join(part["text"] for part in message.content))
        except NotImplementedError:
            print(f"LangChain for Python, {tool.name}: refused")


asyncio.run(main())
PROGRAM
found=$(node program.mjs 2> /dev/null && venv/bin/python program.py 2> /dev/null)
echo "$found"
[ "$found" = 'LangChain for JavaScript, note: "One note:"
LangChain for JavaScript, structured: "{\"type\":\"text\",\"text\":\"One note.\",\"structuredContent\":{\"note\":\"No nuts.\"}}"
LangChain for JavaScript, sound: [{"type":"audio","source_type":"base64","data":"UklGRg==","mime_type":"audio/wav"}]
AI SDK, note: One note: | {"type":"resource","resource":{"uri":"note://ann","mimeType":"text/plain","text":"No nuts."}}
AI SDK, structured: One note.
AI SDK, sound: {"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}
LangChain for Python, note: One note: | No nuts.
LangChain for Python, structured: One note.
LangChain for Python, sound: refused' ]
