#!/usr/bin/env bash
# cn2an 0.5.24: when it turns the numbers of a sentence into digits, 李四 is no longer a name, and 四川 no longer a
# province.
#
# Guess: `transform` turns the numbers of a sentence into digits, in dates, prices and fractions, as its examples do,
# and leaves alone words that contain a numeral, as it does with 万一 (in case).
# Seen: A single numeral within a word becomes a digit. 李四, 王五 and 张三, the Chinese names for people like John Doe,
# become 李4, 王5 and 张3; the province 四川 is 4川, 一起 (together) is 1起, and 十分好 (very good) is 10分好, "ten minutes good". A
# search for the name no longer finds the note. Dates, prices and rooms are right. (Upstream knows of other words, such
# as 统一.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check cn2an==0.5.24
cat > "$folder/program.py" <<'PROGRAM'
import cn2an

NOTES = [
    "一九九零年五月五日",
    "我住五零二",
    "我欠他三百五十块",
    "万一下雨",
    "李四认识王五和张三",
    "她住在四川",
    "我们一起去",
    "十分好",
]
for note in NOTES:
    print(note, cn2an.transform(note, "cn2an"))
PROGRAM
found=$(PYTHONUTF8=1 "$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "$found"
[ "$found" = "一九九零年五月五日 1990年5月5日
我住五零二 我住502
我欠他三百五十块 我欠他350块
万一下雨 万一下雨
李四认识王五和张三 李4认识王5和张3
她住在四川 她住在4川
我们一起去 我们1起去
十分好 10分好" ]
