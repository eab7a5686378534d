#!/usr/bin/env bash
# whatsapp-chat-parser 4.0.2 (npm): a message of nine in the evening, as WhatsApp exports it in Chinese, is of nine in the
# morning.
#
# Guess: a parser that knows "9:05 PM" knows the other marks of the two halves of a day, or refuses them.
# Seen: In Chinese the mark stands before the time. The parser passes over words before a time, so the mark is lost.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit whatsapp-chat-parser@4.0.2 > /dev/null
cat > program.mjs <<'PROGRAM'
import { parseString } from "whatsapp-chat-parser";

for (const line of ["2026/3/13 9:05 PM - Nora: Hello.", "2026/3/13 下午9:05 - Nora: Hello."]) {
  console.log(parseString(line)[0].date.getHours());
}
PROGRAM
found=$(node program.mjs)
echo "whatsapp-chat-parser@4.0.2:" $found
[ "$found" = "21
9" ]
