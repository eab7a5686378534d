#!/usr/bin/env bash
# pycrdt 0.14.13 and loro 1.17.1 (PyPI), yjs 13.6.33 and loro-crdt 1.17.1 (npm): a shared chat does not keep its whole
# numbers. pycrdt makes 7 into 7.0, and loro-crdt changes an id of nineteen digits.
#
# Guess: A number that Python puts into a shared document is the same number for each reader. A value that JavaScript
# cannot hold is refused when it is put in.
# Seen: pycrdt gives 7 back as 7.0, even in the document into which it was put, so "message-7" becomes "message-7.0"; an
# id of nineteen digits stays whole. yjs has that id as a BigInt, beside a 7 that is a number, and JSON.stringify raises
# an error for a chat with one such message. loro keeps both in Python; in JavaScript, the id is silently another one,
# which the server does not know.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pycrdt==0.14.13 loro==1.17.1
npm install --silent --no-fund --no-audit yjs@13.6.33 loro-crdt@1.17.1 > /dev/null
cat > write.py <<'PROGRAM'
import json

from loro import ExportMode, LoroDoc
from pycrdt import Array, Doc, Map

messages = [{"id": 7}, {"id": 1234567890123456789}]
doc, other = Doc(), LoroDoc()
chat, other_chat = doc.get("chat", type=Array), other.get_list("chat")
for message in messages:
    chat.append(Map(message))
    other_chat.push(message)
other.commit()
open("chat.yjs", "wb").write(doc.get_update())
open("chat.loro", "wb").write(other.export(ExportMode.Snapshot()))
print("pycrdt:", json.dumps([message.to_py() for message in chat]))
print("loro:", json.dumps(other.get_deep_value()["chat"]))
PROGRAM
cat > read.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { LoroDoc } from "loro-crdt";
import * as Y from "yjs";

const doc = new Y.Doc();
Y.applyUpdate(doc, readFileSync("chat.yjs"));
const chat = doc.getArray("chat").toJSON();
console.log("yjs:", ...chat.map(({ id }) => `${typeof id} ${id}`));
try {
  JSON.stringify(chat);
} catch (error) {
  console.log("yjs:", error.message);
}
const other = new LoroDoc();
other.import(readFileSync("chat.loro"));
console.log("loro-crdt:", JSON.stringify(other.toJSON().chat));
PROGRAM
found=$(venv/bin/python write.py && node read.mjs)
echo "$found"
[ "$found" = 'pycrdt: [{"id": 7.0}, {"id": 1234567890123456789}]
loro: [{"id": 7}, {"id": 1234567890123456789}]
yjs: number 7 bigint 1234567890123456789
yjs: Do not know how to serialize a BigInt
loro-crdt: [{"id":7},{"id":1234567890123456800}]' ]
