#!/usr/bin/env bash
# sudachipy 0.7.0 with sudachidict-core 20261015: in normalized forms, Kawai is cute, and tough work is spicy.
#
# Guess: The normalized form is there to find a word in each of its spellings (ねこ, ネコ, 猫); a word is not normalized "if
# there is a possibility of other words", so its maintainers. A name in kana stays a name.
# Seen: Kawai-san, Shizuka-san and Akari-san, in kana, become "cute", "quiet" and "lamp", as the honorific behind a name
# decides nothing; other names (さとう, みどり) stay. And tsurai (tough) and karai (spicy), which only kana tell apart, both
# become 辛い, so that a question about what is spicy finds that work is tough.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sudachipy==0.7.0 sudachidict-core==20261015
cat > "$folder/program.py" <<'PROGRAM'
from sudachipy import Dictionary

tokenizer = Dictionary().tokenizer()


def content(text):
    return {
        morpheme.normalized_form()
        for morpheme in tokenizer.tokenize(text)
        if morpheme.part_of_speech()[0] in ("名詞", "形容詞", "形状詞")
    }


for note, question in {
    "ねこがいます": "猫はどこですか",
    "さとうさんが来た": "砂糖はどこですか",
    "みどりさんが来た": "緑はどこですか",
    "かわいさんが来た": "だれが可愛いですか",
    "しずかさんが来た": "どこが静かですか",
    "あかりさんが来た": "明かりはどこですか",
    "仕事がつらい": "なにがからいですか",
}.items():
    print(note, *(content(note) & content(question) or ["-"]))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "sudachipy==0.7.0:" $found
[ "$found" = "ねこがいます 猫
さとうさんが来た -
みどりさんが来た -
かわいさんが来た 可愛い
しずかさんが来た 静か
あかりさんが来た 明かり
仕事がつらい 辛い" ]
