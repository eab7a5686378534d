#!/usr/bin/env bash
# @modelcontextprotocol/server 2.4.0 (npm) with mcp 2.3.0 (PyPI): from one resource template, a JavaScript server reads
# "Ann%20Lee" where a Python server reads "Ann Lee", and finds nothing where a part is left out or repeated.
#
# Guess: `note://people/{name}` is a template of RFC 6570, which the protocol names. In either language, a server gets
# back the name that the client put into the address, with its space or its Chinese characters.
# Seen: JavaScript hands on the name as it is encoded in the address, and encodes it first if it was plain: "Ann" works,
# but Ann Lee is looked up as "Ann%20Lee", and 安娜 as "%E5%AE%89%E5%A8%9C". `{?lang}` must be present, and `{/tags*}`,
# which stands for any number of tags, takes one, so an address with two tags is an unknown resource. Python reads all
# of them. (Upstream, issue 2728 reports that the name stays encoded.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
npm install --silent --no-fund --no-audit @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/client@2.4.0 \
    zod@4.6.7 > /dev/null
cat > server.mjs <<'PROGRAM'
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const server = new McpServer({ name: "notes", version: "1" });
const show = async (uri, parts) => ({ contents: [{ uri: uri.href, text: Object.values(parts).flat().join(" ") }] });
for (const template of ["note://people/{name}", "note://words/{name}{?lang}", "note://tags{/tags*}"]) {
  server.registerResource(template, new ResourceTemplate(template, { list: undefined }), {}, show);
}
await server.connect(new StdioServerTransport());
PROGRAM
cat > server.py <<'PROGRAM'
from mcp.server.mcpserver import MCPServer

server = MCPServer("notes")


@server.resource("note://people/{name}")
def people(name: str) -> str:
    return name


@server.resource("note://words/{name}{?lang}")
def words(name: str, lang: str = "") -> str:
    return f"{name} {lang}".strip()


@server.resource("note://tags{/tags*}")
def tags(tags: list[str]) -> str:
    return " ".join(tags)


server.run("stdio")
PROGRAM
cat > client.mjs <<'PROGRAM'
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const asked = ["people/Ann", "people/Ann%20Lee", "people/安娜", "words/tea?lang=de", "words/tea", "tags/a", "tags/a/b"];
const client = new Client({ name: "reader", version: "1" });
const [command, file] = process.argv.slice(2);
await client.connect(new StdioClientTransport({ command, args: [file], stderr: "ignore" }));
const seen = [];
for (const address of asked) {
  const read = client.readResource({ uri: `note://${address}` });
  seen.push(await read.then(({ contents }) => contents[0].text, () => "unknown"));
}
console.log(`${file}:`, seen.join(", "));
await client.close();
PROGRAM
found=$(node client.mjs node server.mjs && node client.mjs venv/bin/python server.py)
echo "$found"
[ "$found" = "server.mjs: Ann, Ann%20Lee, %E5%AE%89%E5%A8%9C, tea de, unknown, a, unknown
server.py: Ann, Ann Lee, 安娜, tea de, tea, a, a b" ]
