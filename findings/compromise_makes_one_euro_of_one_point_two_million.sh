#!/usr/bin/env bash
# compromise 14.17.0 (npm): amounts in words lose their fraction or their million, and once the numbers are written in
# digits, the text states a different amount.
#
# Guess: A library that reads "twelve and a half" and "5.5 million" also reads the two together. It leaves alone
# anything that it cannot read, as it finds no number in "a dozen eggs".
# Seen: A fraction and a million or thousand do not go together: "two and a half million" is 2,000,000, "ten and a half
# thousand" is 10,000, and "one point two million euros" is 1 as a number and 2 as money. `numbers().toNumber()` writes
# that into the text ("1 euros"), so the real amount is gone from the note. A grand, a k or a dozen after a number is
# left out of its value without any sign of it, and "nought point five" is 5.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit compromise@14.17.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import nlp from "compromise";

const texts = [
  "He has 5.5 million.",
  "He has twelve and a half.",
  "He owes two and a half million.",
  "He owes ten and a half thousand.",
  "He owes one point two million euros.",
  "He owes a hundred grand.",
  "He has 1.5k followers.",
  "He eats two dozen eggs.",
  "He drinks nought point five litres.",
];
for (const text of texts) {
  const note = nlp(text);
  const [number] = note.numbers().get();
  note.numbers().toNumber();
  console.log(`${text} -> ${number}: ${note.text()}`);
}
console.log("money:", nlp("He owes one point two million euros.").money().get()[0]);
PROGRAM
found=$(node program.mjs)
echo "compromise@14.17.0:"
echo "$found"
[ "$found" = "He has 5.5 million. -> 5500000: He has 5500000.
He has twelve and a half. -> 12.5: He has 12.5.
He owes two and a half million. -> 2000000: He owes 2000000.
He owes ten and a half thousand. -> 10000: He owes 10000.
He owes one point two million euros. -> 1: He owes 1 euros.
He owes a hundred grand. -> 100: He owes 100 grand.
He has 1.5k followers. -> 1.5: He has 1.5k followers.
He eats two dozen eggs. -> 2: He eats 2 dozen eggs.
He drinks nought point five litres. -> 5: He drinks nought point 5 litres.
money: 2" ]
