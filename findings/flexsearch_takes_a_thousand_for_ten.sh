#!/usr/bin/env bash
# flexsearch 0.8.212 beside minisearch 7.2.0 (npm): asked about a debt of 10 euros, it gives the note on 1000 first.
#
# Guess: A search in words folds capitals and accents, and perhaps doubled letters; a number is found by itself, and
# "100" is another one than "10".
# Seen: By default each run of one sign is made one, in a number as in a word, and a number of more than three digits is
# cut into threes: 10 and 100 are one word, and 1000 begins with it. The notes on any of them are alike, so the oldest
# comes first; with a limit of one, it is the only one. So are room 3 and room 33, and PIN 471 finds 4711. The encoder
# "Exact" tells them apart, but finds no word in other capitals. (Upstream knows of the threes.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit flexsearch@0.8.212 minisearch@7.2.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import FlexSearch from "flexsearch";
import MiniSearch from "minisearch";

const notes = [
  "Ann owes Bob 1000 euros.",
  "Ann owes Cy 100 euros.",
  "Ann owes Dan 10 euros.",
  "Bob is in room 33.",
  "Cy is in room 3.",
  "Her PIN is 4711.",
  "His PIN is 471.",
];
const engines = {
  flexsearch: new FlexSearch.Index(),
  "flexsearch, exact": new FlexSearch.Index({ encoder: FlexSearch.Charset.Exact }),
};
const mini = new MiniSearch({ fields: ["text"] });
for (const [id, text] of notes.entries()) {
  for (const engine of Object.values(engines)) engine.add(id, text);
  mini.add({ id, text });
}
const find = (search) => ["10 euros", "room 3", "471", "ann owes 10"].map((query) => notes[search(query)] ?? "nothing");
for (const [name, engine] of Object.entries(engines)) {
  console.log(`${name}:`, find((query) => engine.search(query, { limit: 1 })[0]).join(" "));
}
console.log("minisearch:", find((query) => mini.search(query, { combineWith: "AND" })[0]?.id).join(" "));
PROGRAM
found=$(node program.mjs)
echo "flexsearch@0.8.212:" $found
[ "$found" = "flexsearch: Ann owes Cy 100 euros. Bob is in room 33. Her PIN is 4711. Ann owes Bob 1000 euros.
flexsearch, exact: Ann owes Dan 10 euros. Cy is in room 3. His PIN is 471. nothing
minisearch: Ann owes Dan 10 euros. Cy is in room 3. His PIN is 471. Ann owes Dan 10 euros." ]
