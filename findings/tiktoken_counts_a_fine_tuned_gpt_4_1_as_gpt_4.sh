#!/usr/bin/env bash
# tiktoken 0.14.0 (Python): a fine-tuned gpt-4.1 is counted with the tokens of gpt-4, which are 1.5 times as many in
# Chinese, and 2.7 times in Hindi.
#
# Guess: A fine-tuned model has the tokens of the model that it was made of, as tiktoken has it for "ft:gpt-4o"; for a
# name that it does not know, it raises a KeyError.
# Seen: "gpt-4.1-mini" is o200k_base, and "ft:gpt-4.1-mini-..." is cl100k_base, as its name begins with "ft:gpt-4". In
# English that is no difference. In other languages a talk reaches its limit long before it is full, and its cost is put
# too high, without an error. The two ports for JavaScript raise an error for this name.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check tiktoken==0.14.0
cd "$folder"
npm install --silent --no-fund --no-audit tiktoken@1.0.22 js-tiktoken@1.0.21 > /dev/null
cat > program.py <<'PROGRAM'
from tiktoken import encoding_name_for_model

for base in ("gpt-4", "gpt-4o-2024-08-06", "gpt-4.1-mini-2025-04-14"):
    print(base, encoding_name_for_model(base), encoding_name_for_model(f"ft:{base}:acme::a1b2c3"))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { encodingForModel } from "js-tiktoken";
import { encoding_for_model, get_encoding } from "tiktoken";

const texts = {
  English: "I have lived in Oslo for two years, and my sister visits me every summer.",
  Chinese: "我在奥斯陆住了两年，我的妹妹每年夏天都来看我。",
  Hindi: "मैं दो साल से ओस्लो में रहता हूँ, और मेरी बहन हर गर्मी में मुझसे मिलने आती है।",
};
for (const [language, text] of Object.entries(texts)) {
  console.log(language, ...["o200k_base", "cl100k_base"].map((name) => get_encoding(name).encode(text).length));
}
for (const find of [encoding_for_model, encodingForModel]) {
  try {
    console.log(find("ft:gpt-4.1-mini-2025-04-14:acme::a1b2c3"));
  } catch {
    console.log("an error");
  }
}
PROGRAM
found=$("$folder/venv/bin/python" program.py && node program.mjs)
echo "tiktoken==0.14.0:" $found
[ "$found" = "gpt-4 cl100k_base cl100k_base
gpt-4o-2024-08-06 o200k_base o200k_base
gpt-4.1-mini-2025-04-14 o200k_base cl100k_base
English 17 17
Chinese 20 30
Hindi 27 74
an error
an error" ]
