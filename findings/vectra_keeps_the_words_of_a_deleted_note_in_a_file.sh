#!/usr/bin/env bash
# vectra 0.15.0 (npm): the words of a note that was deleted, or replaced, stay in the folder of the index.
#
# Guess: `deleteItem` leaves nothing of a note: it is not listed nor found afterwards, and the file of the index is
# written anew.
# Seen: With `metadata_config.indexed`, by which the file of the index stays small, the other members of a note are in a
# file of its own, and neither `deleteItem`, `deleteItems` nor `upsertItem` touches it. After two PINs were replaced and
# deleted, the list is empty, and both are in the folder, which a backup or the next reader of it has. Without the
# option, or after `deleteIndex`, nothing is left.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit vectra@0.15.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { LocalIndex } from "vectra";

for (const metadata_config of [{}, { indexed: ["user"] }]) {
  const name = JSON.stringify(metadata_config);
  const index = new LocalIndex("index");
  await index.createIndex({ version: 1, metadata_config });
  const note = (text) => ({ id: "pin", vector: [1, 0], metadata: { user: "ann", text } });
  await index.insertItem(note("My PIN is 4711."));
  await index.upsertItem(note("My PIN is 5813."));
  await index.deleteItem("pin");
  const files = readdirSync("index").map((file) => readFileSync(`index/${file}`, "utf8"));
  const pins = files.join().match(/\d{4}/g) ?? ["nothing"];
  console.log(`${name}: ${(await index.listItems()).length} notes, ${pins.sort().join(" and ")} on the disk`);
  await index.deleteIndex();
  console.log("and then:", existsSync("index"));
}
PROGRAM
found=$(node program.mjs)
echo "vectra@0.15.0:" $found
[ "$found" = '{}: 0 notes, nothing on the disk
and then: false
{"indexed":["user"]}: 0 notes, 4711 and 5813 on the disk
and then: false' ]
