#!/usr/bin/env bash
# chrono-node 2.10.3 (npm): in French and Spanish, the day after tomorrow becomes tomorrow, and nine in the evening
# becomes nine in the morning; in Japanese, Monday of last week is Monday of this one.
#
# Guess: A date parser for a language knows its few words for days and halves of a day, and finds nothing where it does
# not. A date that it finds is the one that was said.
# Seen: It skips a word that it does not know and makes a date of the rest. Of "après-demain" and "pasado mañana" it
# reads "demain" and "mañana". "du soir", "de la noche" and 夜 do not move the hour beside them, so the appointment is in
# the morning. In English, the hour is lost: the day is right, at noon, and "in the evening" is a second result, today
# at eight. In Japanese, 明後日 (the day after tomorrow) is today, and without 来週 (next week) and 先週 (last week) each week
# is this one. The German and Chinese texts, whose support is "partial" according to the README, are right; the French
# and Japanese ones, in languages that it calls supported, are not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit chrono-node@2.10.3 > /dev/null
cat > program.mjs <<'PROGRAM'
import * as chrono from "chrono-node";

const said = [
  [chrono.de, "übermorgen um 9 Uhr abends"],
  [chrono.fr, "après-demain à 9h du soir"],
  [chrono.es, "pasado mañana a las 9 de la noche"],
  [chrono.zh, "后天晚上九点"],
  [chrono.ja, "明後日の夜9時"],
  [chrono.en, "the day after tomorrow, 9 in the evening"],
  [chrono.zh, "下星期五"],
  [chrono.ja, "来週の金曜日"],
  [chrono.zh, "上星期一"],
  [chrono.ja, "先週の月曜日"],
];
const wednesday = new Date(2026, 2, 4, 12);
for (const [language, text] of said) {
  const dates = language.parse(text, wednesday).map(({ start }) => start.date());
  const shown = dates.map((date) => `${date.getDate()}.${date.getMonth() + 1}. ${date.getHours()}:00`);
  console.log(`${text}:`, shown.join("; "));
}
PROGRAM
found=$(TZ=UTC node program.mjs)
echo "$found"
[ "$found" = "übermorgen um 9 Uhr abends: 6.3. 21:00
après-demain à 9h du soir: 5.3. 9:00; 4.3. 18:00
pasado mañana a las 9 de la noche: 5.3. 9:00; 4.3. 22:00
后天晚上九点: 6.3. 21:00
明後日の夜9時: 4.3. 9:00
the day after tomorrow, 9 in the evening: 6.3. 12:00; 4.3. 20:00
下星期五: 13.3. 12:00
来週の金曜日: 6.3. 12:00
上星期一: 23.2. 12:00
先週の月曜日: 2.3. 12:00" ]
