#!/usr/bin/env bash
# pypinyin 0.55.0 (PyPI) and pinyin-pro 3.29.4 (npm): they spell some family names differently, so one does not find a
# name that the other wrote in letters.
#
# Guess: Names are stored in pinyin without tones beside the characters, so that a keyboard with letters can find them.
# Both libraries read a character by the word that it is in, and write the same letters for the same name.
# Seen: They differ on three of eight family names: 吕 is "lv" in Python and "lü" in JavaScript, 翟 is "di" and "zhai",
# and 尉迟 is "yuchi" and "weichi". Where they agree, both can be wrong: the family name 单 is Shan, and 曾 is Zeng, but
# both write "dan" and "ceng". pinyin-pro has a mode for family names, which gets these right, and six of its names then
# differ from Python; pypinyin has no such mode.
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
