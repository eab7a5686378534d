#!/usr/bin/env bash
# jieba 0.42.1: names of people that were added as words are still cut apart in what is said about them.
#
# Guess: After `add_word("吴明")`, whose frequency is one that makes sure that the word is found (so its README on words
# without one), a note on Wu Ming and a question about Wu Ming share that word.
# Seen: That frequency makes the name a word only where it stands alone. Before a word that shares a character, the common
# word wins: "Wu Ming sleeps by day" is read as "Wu understands, heaven, sleeps", and "Li Ming is coming" as "Li is
# coming tomorrow", with or without HMM. The question has the name, and not one word of the note. Of five names, one is
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
notes = {"赵敏": "赵敏感冒了", "李明": "李明天来", "吴明": "吴明白天睡觉", "张伟": "张伟明天到", "陈晓": "陈晓东风趣"}
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
