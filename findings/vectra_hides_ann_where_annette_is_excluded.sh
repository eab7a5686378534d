#!/usr/bin/env bash
# vectra 0.15.0 (npm): a filter that excludes Annette excludes Ann, too; one that excludes a year excludes nothing, and
# one that asks for two years finds nothing.
#
# Guess: `$in` and `$nin` compare the value of a note with each value of the list, as MongoDB's do and as `$eq` does.
# Seen: `$nin` looks for the value of the note within each text of the list, so "ann" is in ["annette"]; `$in` does not.
# Both pass over all but texts: with a number in the note, `$in` is never true, and `$nin` always. No error is raised,
# so notes of a year that was excluded are shown. Of a note without the member, `$nin` and `$ne` are untrue.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit vectra@0.15.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { LocalIndex } from "vectra";

const index = new LocalIndex("index");
await index.createIndex();
const notes = { Ann: { user: "ann", year: 2024 }, Annette: { user: "annette", year: 2025 }, Bob: { user: "bob" } };
for (const [id, metadata] of Object.entries(notes)) await index.insertItem({ id, metadata, vector: [1, 0] });
for (const filter of [
  { user: { $in: ["annette", "bob"] } },
  { user: { $nin: ["annette"] } },
  { user: { $ne: "annette" } },
  { year: { $in: [2024, 2025] } },
  { year: { $nin: [2024] } },
  { year: { $ne: 2024 } },
]) {
  const found = await index.queryItems([1, 0], "", 10, filter);
  console.log(JSON.stringify(filter), ...found.map(({ item }) => item.id).sort());
}
PROGRAM
found=$(node program.mjs)
echo "vectra@0.15.0:" $found
[ "$found" = '{"user":{"$in":["annette","bob"]}} Annette Bob
{"user":{"$nin":["annette"]}} Bob
{"user":{"$ne":"annette"}} Ann Bob
{"year":{"$in":[2024,2025]}}
{"year":{"$nin":[2024]}} Ann Annette
{"year":{"$ne":2024}} Annette' ]
