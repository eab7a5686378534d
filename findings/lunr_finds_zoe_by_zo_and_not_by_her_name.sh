#!/usr/bin/env bash
# lunr 2.3.9 beside minisearch 7.2.0 (npm): a note on Zoë is found for "Zo", and not for "Zoë".
#
# Guess: Whatever a search makes of a word, it makes of the question too, so a note is found by a word that stands in it
# as it is asked for; at worst it finds too much.
# Seen: What is no letter of English at the beginning or the end of a word is cut off when a note is added, but not in
# the question. So Zoë is stored as "zo", Élodie as "lodie", Łukasz as "ukasz" and C++ as "c", and none of them is found
# by the word as it is written; a note in Russian is stored without a word. minisearch finds each by its own word.
# (Upstream has lunr-languages, with which a language is chosen for the index.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit lunr@2.3.9 minisearch@7.2.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import lunr from "lunr";
import MiniSearch from "minisearch";

const notes = ["Ann likes figs", "Zoë has a cat", "Élodie is a nurse", "Łukasz sings", "C++ is fun", "Иван ест рыбу"];
const asked = ["Ann", "Zoë", "Élodie", "Łukasz", "C++", "рыбу", "Zo", "lodie", "ukasz", "C"];
const index = lunr(function () {
  this.ref("id");
  this.field("text");
  notes.forEach((text, id) => this.add({ id, text }));
});
const search = new MiniSearch({ fields: ["text"] });
search.addAll(notes.map((text, id) => ({ id, text })));
console.log("lunr:", ...asked.filter((word) => index.search(word).length));
console.log("minisearch:", ...asked.filter((word) => search.search(word).length));
PROGRAM
found=$(node program.mjs)
echo "$found"
[ "$found" = "lunr: Ann Zo lodie ukasz C
minisearch: Ann Zoë Élodie Łukasz C++ рыбу" ]
