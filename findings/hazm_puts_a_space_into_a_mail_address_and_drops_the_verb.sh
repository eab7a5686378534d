#!/usr/bin/env bash
# hazm 0.10.0, the newest for Python 3.11: in Persian, "I do not want tea" has no verb, and a mail address has a space.
#
# Guess: `Normalizer` makes spellings alike, the Arabic ي and the space in نمی خواهم, and leaves alone a mail address, a
# link and a code; `word_tokenize` gives all words of a text.
# Seen: The normalizer sets a space behind each dot and around each hyphen and slash, so ann@example.com is
# "ann@example. com", a code 12-34 is "۱۲ - ۳۴", and 1.5 is three pieces; digits become Persian. The tokenizer joins the
# parts of a verb from the end of the text on, and a text that ends with خواهم ("I want", and a part of the future)
# loses this word: of "I do not want tea" stays "I, tea, not". A full stop behind it becomes a part of it; after
# normalizing, it is there. No error is raised.
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
