#!/usr/bin/env bash
# hazm 0.10.0, the newest for Python 3.11: in Persian, "I do not want tea" loses its verb, and an email address gets a
# space.
#
# Guess: `Normalizer` unifies spellings, such as the Arabic ي and the space in نمی خواهم, and leaves alone an email
# address, a link and a code; `word_tokenize` gives all words of a text.
# Seen: The normalizer puts a space after each dot and around each hyphen and slash: ann@example.com becomes
# "ann@example. com", and the code 12-34 becomes "۱۲ - ۳۴". 1.5 is split into three pieces, and digits become Persian.
# The tokenizer joins the parts of a verb, starting from the end of the text. If the text ends with خواهم ("I want", and
# a part of the future tense), this word is lost: "I do not want tea" becomes "I, tea, not". A full stop after it
# becomes a part of it. In normalized text, the word is kept. No error is raised.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check hazm==0.10.0
cat > "$folder/program.py" <<'PROGRAM'
from hazm import Normalizer, word_tokenize

normalize = Normalizer().normalize
for text in ("ann@example.com", "https://example.com/a", "12-34", "1.5"):
    print(text, repr(normalize(text)))
for text in ("من چای نمی خواهم", "من چای نمی خواهم.", "من چای نمی نوشم"):
    print(len(text.split()), len(word_tokenize(text)), *word_tokenize(text))
print("خواهم" in "".join(word_tokenize(normalize("من چای نمی خواهم"))))
PROGRAM
found=$(PYTHONUTF8=1 "$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "$found"
[ "$found" = "ann@example.com 'ann@example. com'
https://example.com/a 'https: / / example. com / a'
12-34 '۱۲ - ۳۴'
1.5 '۱ ٫ ۵'
4 3 من چای نمی
4 4 من چای نمی خواهم_.
4 4 من چای نمی نوشم
True" ]
