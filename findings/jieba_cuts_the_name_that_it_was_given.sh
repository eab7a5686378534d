#!/usr/bin/env bash
# jieba 0.42.1: names of people that were added as words are still cut apart in what is said about them.
#
# Guess: `add_word("吴明")` without a frequency takes one "that ensures the word can be cut out"; so a note on Wu Ming and
# a question about Wu Ming share that word.
# Seen: It is one only where the name stands alone. Before a character that makes a common word with its last one, that
# word wins: "Wu Ming sleeps by day" is read as "Wu understands, heaven, sleeps", and "Li Ming is coming" as "Li is
# coming tomorrow", with HMM and without. The question has the name, and no word of the note. Of five names, one is
# found; with a frequency of 1,000,000 all five are. (Known upstream.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check jieba==0.42.1
cat > "$folder/program.py" <<'PROGRAM'
import logging

import jieba

jieba.setLogLevel(logging.ERROR)
said = ["赵敏感冒了", "李明天来", "吴明白天睡觉", "张伟明天到", "陈晓东风趣"]
notes = {note[:2]: note for note in said}
for frequency in (None, 1_000_000):
    for name in notes:
        jieba.add_word(name, frequency)
    for hmm in (True, False):
        cut = {name: jieba.lcut(note, HMM=hmm) for name, note in notes.items()}
        print("found:", *(name for name in notes if name in cut[name]))
        if not frequency:
            shared = set(cut["吴明"]) & set(jieba.lcut("吴明是谁", HMM=hmm))
            print("shared:", len(shared), "/".join(cut["吴明"]), "/".join(cut["李明"]))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "jieba==0.42.1:" $found
[ "$found" = "found: 赵敏
shared: 0 吴/明白/天/睡觉 李/明天/来
found: 赵敏
shared: 0 吴/明白/天/睡觉 李/明天/来
found: 赵敏 李明 吴明 张伟 陈晓
found: 赵敏 李明 吴明 张伟 陈晓" ]
