#!/usr/bin/env bash
# pypinyin 0.55.0 (PyPI) and pinyin-pro 3.29.4 (npm): a name that one of them wrote in letters is not found by the
# other.
#
# Guess: Names are stored in pinyin without tones beside the characters, so that they are found from a keyboard with
# letters; both libraries read a character by its words, and write the same letters for the same name.
# Seen: For three of eight family names they write other letters: 吕 is "lv" in Python and "lü" in JavaScript, 翟 "di" and
# "zhai", and 尉迟 "yuchi" and "weichi". Where they agree, it may be on a wrong one: 单 is a family Shan, and 曾 a family
# Zeng, for which both write "dan" and "ceng". pinyin-pro has a mode for family names, with which they are right, and
# six of them differ from Python; pypinyin has none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pypinyin==0.55.0
npm install --silent --no-fund --no-audit pinyin-pro@3.29.4 > /dev/null
cat > names.json <<'NAMES'
["吕小明", "翟小明", "尉迟小明", "乐小明", "区小明", "单小明", "曾小明", "李小明"]
NAMES
cat > program.py <<'PROGRAM'
import json

from pypinyin import lazy_pinyin

print(*("".join(lazy_pinyin(name)[:-2]) for name in json.load(open("names.json", encoding="utf-8"))))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { pinyin } from "pinyin-pro";

const names = JSON.parse(readFileSync("names.json", "utf8"));
for (const mode of ["normal", "surname"]) {
  console.log(...names.map((name) => pinyin(name, { toneType: "none", type: "array", mode }).slice(0, -2).join("")));
}
PROGRAM
found=$(venv/bin/python program.py && node program.mjs)
echo "$found"
[ "$found" = "lv di yuchi le qu dan ceng li
lü zhai weichi le qu dan ceng li
lü zhai yuchi yue ou shan zeng li" ]
