#!/usr/bin/env bash
# vectra 0.15.0 (npm): one empty note, whose vector is zero, hides the best notes from each search for a few.
#
# Guess: A note without words, which a model of counted words or a hash gives the vector zero, has no likeness to a
# question: it is left out, or is the last, and the other notes are found as without it.
# Seen: Its likeness is not a number, and it stays at the head of the heap of the best ones, as no number is greater.
# So a search for three gives it first and two of the first notes, however unlike; later notes cannot get in.
# The answer to the question, with a likeness of 1, is not among them. In a search for all notes it is the second.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit vectra@0.15.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { LocalIndex } from "vectra";

const words = ["tea", "figs", "rain", "pin"];
const embed = (text) => words.map((word) => text.split(word).length - 1);
const notes = ["Ann likes tea.", "Bob has tea and rain.", "Cy eats figs.", "Rain, rain again.", "Ann's pin is 4711."];
for (const empty of [false, true]) {
  const index = new LocalIndex(`index-${empty}`);
  await index.createIndex();
  for (const text of empty ? ["", ...notes] : notes) {
    await index.insertItem({ vector: embed(text), metadata: { text } });
  }
  for (const count of [1, 3, 6]) {
    const found = await index.queryItems(embed("What is the pin?"), "", count);
    const shown = found.map(({ item, score }) => `${item.metadata.text || "(empty)"} ${score}`);
    console.log(empty ? "with an empty note:" : "without:", count, shown.slice(0, 3).join(" | "));
  }
}
PROGRAM
found=$(node program.mjs)
echo "vectra@0.15.0:" $found
[ "$found" = "without: 1 Ann's pin is 4711. 1
without: 3 Ann's pin is 4711. 1 | Bob has tea and rain. 0 | Cy eats figs. 0
without: 6 Ann's pin is 4711. 1 | Ann likes tea. 0 | Bob has tea and rain. 0
with an empty note: 1 (empty) NaN
with an empty note: 3 (empty) NaN | Ann likes tea. 0 | Bob has tea and rain. 0
with an empty note: 6 (empty) NaN | Ann's pin is 4711. 1 | Ann likes tea. 0" ]
