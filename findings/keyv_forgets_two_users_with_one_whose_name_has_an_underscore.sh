#!/usr/bin/env bash
# @keyv/postgres 2.2.3 with keyv 5.6.0 (npm) and PostgreSQL (in pgserver 0.1.4, PyPI): `clear()` for the user ann_b
# deletes the values of ann.b and ann-b.
#
# Guess: Each namespace is a store of its own: `get`, `set`, `has` and `delete` of one touch no other, and `clear()`
# empties the one that it is called on.
# Seen: `clear()` deletes the keys that are LIKE the namespace, in which an underscore stands for any one sign, so each
# user whose name differs there alone loses all, without an error. Cleared for ann.b, the others keep theirs.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pgserver==0.1.4
npm install --silent --no-fund --no-audit keyv@5.6.0 @keyv/postgres@2.2.3 pg@8.16.3 > /dev/null
cat > program.mjs <<'PROGRAM'
import KeyvPostgres from "@keyv/postgres";
import Keyv from "keyv";

const names = ["ann_b", "ann.b", "ann-b", "ann_c"];
const users = names.map((namespace) => new Keyv({ namespace, store: new KeyvPostgres({ uri: process.argv[2] }) }));
for (const cleared of [1, 0]) {
  for (const [number, user] of users.entries()) await user.set("pin", `PIN of ${names[number]}`);
  await users[cleared].clear();
  const pins = await Promise.all(users.map((user) => user.get("pin")));
  console.log(`after clear() for ${names[cleared]}:`, pins.filter((pin) => pin).join(", "));
}
process.exit();
PROGRAM
cat > server.py <<'PROGRAM'
import os
import subprocess
import sys

import pgserver

os.chmod(".", 0o755)
server = pgserver.get_server(f"{os.getcwd()}/database")
address = server.get_uri().replace("postgres:@", "postgres@localhost")
sys.exit(subprocess.run(["node", "program.mjs", address]).returncode)
PROGRAM
found=$(venv/bin/python -W ignore server.py)
echo "@keyv/postgres@2.2.3:" $found
[ "$found" = "after clear() for ann.b: PIN of ann_b, PIN of ann-b, PIN of ann_c
after clear() for ann_b: PIN of ann_c" ]
