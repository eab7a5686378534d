#!/usr/bin/env bash
# @orama/orama 3.1.18 (npm): a search in the notes of ann@example.com shows those of bob@example.com, too.
#
# Guess: `where: { user: "ann@example.com" }` gives the notes whose user is that. The manual says that a filter on a
# string compares tokens exactly, so an address may be several tokens, but then all of them have to be there.
# Seen: An address is three tokens, a full name two, and one of them is enough: each user of example.com fits, and with
# a name, each Ann and each Smith. A new user, who has no notes, sees those of all colleagues. With the type `enum` and
# `eq`, the user is compared as a whole. (Upstream chose so in 2023; before, the first token alone was compared.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @orama/orama@3.1.18 > /dev/null
cat > program.mjs <<'PROGRAM'
import { create, insert, search } from "@orama/orama";

const notes = [
  ["ann@example.com", "Ann Smith"],
  ["bob@example.com", "Bob Smith"],
  ["cy@beispiel.de", "Cy Ann Jones"],
];
const database = create({ schema: { text: "string", user: "string", name: "string", owner: "enum" } });
for (const [user, name] of notes) await insert(database, { text: "My PIN is a secret.", user, name, owner: user });
for (const where of [
  { user: "ann@example.com" },
  { user: "new@example.com" },
  { name: "Ann Smith" },
  { owner: { eq: "ann@example.com" } },
]) {
  const found = await search(database, { term: "PIN", where });
  console.log(JSON.stringify(where), ...found.hits.map((hit) => hit.document.user.split("@")[0]).sort());
}
PROGRAM
found=$(node program.mjs)
echo "@orama/orama@3.1.18:" $found
[ "$found" = '{"user":"ann@example.com"} ann bob
{"user":"new@example.com"} ann bob
{"name":"Ann Smith"} ann bob cy
{"owner":{"eq":"ann@example.com"}} ann' ]
