#!/usr/bin/env bash
# chrono-node 2.10.3 (npm): it reads a part of a time in words and gives the date of that part.
#
# Guess: If it cannot read a time, it has no result, as for "thirteen days ago"; a result is the date of the whole
# phrase.
# Seen: It knows the number words up to twelve, and half. "twenty one days ago" is yesterday, "three and a half years
# ago" is half a year ago, and "a hundred and two weeks ago" is two weeks ago. `parseDate` returns the date alone, so
# its caller does not see which words were read. "tonight at midnight" is today at noon, though "midnight" alone is
# right. With digits, 21 days and 3.5 years are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit chrono-node@2.10.3 > /dev/null
cat > program.mjs <<'PROGRAM'
import * as chrono from "chrono-node";

const now = new Date("2026-03-04T15:42:00");
const SAID = [
  "thirteen days ago",
  "twenty one days ago",
  "21 days ago",
  "a hundred and two weeks ago",
  "three and a half years ago",
  "3.5 years ago",
  "midnight",
  "tonight at midnight",
];
for (const said of SAID) {
  const date = chrono.parseDate(said, now);
  console.log(`${said}:`, date ? date.toISOString().slice(0, 16).replace("T", " ") : "none");
}
PROGRAM
found=$(TZ=UTC node program.mjs)
echo "$found"
[ "$found" = "thirteen days ago: none
twenty one days ago: 2026-03-03 15:42
21 days ago: 2026-02-11 15:42
a hundred and two weeks ago: 2026-02-18 15:42
three and a half years ago: 2025-09-04 15:42
3.5 years ago: 2022-09-04 15:42
midnight: 2026-03-05 00:00
tonight at midnight: 2026-03-04 12:00" ]
