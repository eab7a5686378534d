#!/usr/bin/env bash
# opencc 1.4.2 and zhconv 1.4.3 (PyPI), opencc-js 1.4.2 (npm): a name in traditional Chinese that is converted to
# simplified Chinese and back is the name of another family.
#
# Guess: Notes are kept in one script, so that a question in the other finds them, and are shown in the user's script.
# OpenCC converts words rather than single characters, and takes the first choice on the way back; at worst, a rare word
# suffers.
# Seen: 范, 余, 于 and 岳 are family names in both scripts, and each is also the simplified form of another character: 範, 餘,
# 於 and 嶽. All three libraries convert back to the other character: 范 becomes 範, in 范小明 and in a sentence. 余 and 餘 are
# two families in Taiwan, and one after the first step, so their notes can no longer be told apart. 鍾 and 葉 come back as
# they were.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check opencc==1.4.2 zhconv==1.4.3
npm install --silent --no-fund --no-audit opencc-js@1.4.2 > /dev/null
cat > names.json <<'NAMES'
["范小明", "余先生", "餘先生", "于先生", "鍾小姐", "葉先生", "岳先生", "我姓范。"]
NAMES
cat > program.py <<'PROGRAM'
import json

import opencc
import zhconv

names = json.load(open("names.json", encoding="utf-8"))
there, back = opencc.OpenCC("t2s").convert, opencc.OpenCC("s2t").convert
print(*names)
print(*(back(there(name)) for name in names))
print(*(zhconv.convert(zhconv.convert(name, "zh-hans"), "zh-hant") for name in names))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import * as OpenCC from "opencc-js";

const names = JSON.parse(readFileSync("names.json", "utf8"));
const [there, back] = [OpenCC.Converter({ from: "t", to: "cn" }), OpenCC.Converter({ from: "cn", to: "t" })];
console.log(...names.map((name) => back(there(name))));
PROGRAM
found=$(PYTHONUTF8=1 venv/bin/python -W ignore program.py && node program.mjs)
echo "$found"
another="範小明 餘先生 餘先生 於先生 鍾小姐 葉先生 嶽先生 我姓範。"
[ "$found" = "范小明 余先生 餘先生 于先生 鍾小姐 葉先生 岳先生 我姓范。
$another
$another
$another" ]
