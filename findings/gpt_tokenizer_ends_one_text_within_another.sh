#!/usr/bin/env bash
# gpt-tokenizer 4.0.0 (npm): a text that was cut to a number of tokens goes on in the next text that is decoded, and of
# two answers that are decoded at once, each gets signs that nobody wrote.
#
# Guess: `decode` is a function of its tokens. A text that is cut within a sign ends with "�", as with js-tiktoken, or
# without that sign, and the next text is whole. Two streams have nothing to do with each other.
# Seen: All texts go through one decoder of UTF-8, which waits for the bytes that are missing. They come from the next
# text with a rare sign: there, a "�" appears, once; decoded again, it is right. Of two streams at once, Bob's answer
# gets bytes of Ann's: he reads other signs, which are valid, and no error is raised.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit gpt-tokenizer@4.0.0 js-tiktoken@1.0.21 > /dev/null
cat > program.mjs <<'PROGRAM'
import { decode, decodeAsyncGenerator, encode } from "gpt-tokenizer";
import { getEncoding } from "js-tiktoken";

const tiktoken = getEncoding("o200k_base");
const [ann, bob] = ["Ann: 饕餮 🤷🏽", "Bob: 🤷🏽 饕餮"];
for (const read of [(tokens) => tiktoken.decode(tokens), decode]) {
  const cut = read(encode(ann).slice(0, 3));
  console.log([cut, read(encode(bob)), read(encode(bob))].join(" | "));
}

async function* comes(tokens) {
  for (const token of tokens) yield await token;
}
async function reads(text) {
  let read = "";
  for await (const part of decodeAsyncGenerator(comes(encode(text)))) read += part;
  return read;
}
console.log("in turn:", [await reads(ann), await reads(bob)].join(" | "));
console.log("at once:", (await Promise.all([reads(bob), reads(ann)])).join(" | "));
PROGRAM
found=$(node program.mjs)
echo "gpt-tokenizer@4.0.0:" $found
[ "$found" = "Ann: � | Bob: 🤷🏽 饕餮 | Bob: 🤷🏽 饕餮
Ann:  | Bob:� 🤷🏽 饕餮 | Bob: 🤷🏽 饕餮
in turn: Ann: 饕餮 🤷🏽 | Bob: 🤷🏽 饕餮
at once: Bob: 饷餽 🤕🏮 | Ann:� ���� ���" ]
