#!/usr/bin/env bash
# lingua-language-detector 2.1.1: English sentences of ten words and more are Tagalog as soon as Małgorzata is in them.
#
# Guess: A foreign name weighs little in a sentence of ten English words, and if it draws it anywhere, then to the
# language of the name. That is so with py3langid 0.4.0 and langdetect 1.0.9.
# Seen: Eight of eight sentences are Tagalog, and English gets less than 0.005, where without the stroke, Malgorzata, it
# is first in all eight. In the code of version 1.4.2, in Python, each group of letters adds the logarithm of its
# frequency, and one that a language does not have at all adds nothing: so English, in which "ł" is rare, loses by it,
# and a language whose texts never had it does not. With Łukasz, one is English, and the others are Afrikaans, Shona,
# Tagalog and Welsh; Polish is none of them. Chosen among English, German and Polish, all eight sentences with
# Małgorzata are Polish.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check lingua-language-detector==2.1.1 py3langid==0.4.0 \
    langdetect==1.0.9
cat > "$folder/program.py" <<'PROGRAM'
import langdetect
import py3langid
from lingua import Language, LanguageDetectorBuilder

sentences = [
    "{} does not eat nuts, so please leave them out of the cake.",
    "Where did {} leave the car after the concert last night?",
    "Can you send the invoice to {} before the end of the week?",
    "My friend {} comes on Friday and we will cook together.",
    "Please call {} about the flat and the keys tomorrow.",
    "I had lunch with {} and we talked about the new office.",
    "My neighbour {} has three dogs, two cats and a very old horse.",
    "On Monday {} moves to the new flat near the station with her sister.",
]
langdetect.DetectorFactory.seed = 0
lingua = LanguageDetectorBuilder.from_all_languages().build()
of_three = LanguageDetectorBuilder.from_languages(Language.ENGLISH, Language.GERMAN, Language.POLISH).build()
for name in ("Malgorzata", "Małgorzata", "Łukasz"):
    texts = [sentence.format(name) for sentence in sentences]
    found = [lingua.detect_language_of(text).iso_code_639_1.name.lower() for text in texts]
    three = [of_three.detect_language_of(text).iso_code_639_1.name.lower() for text in texts]
    english = max(lingua.compute_language_confidence(text, Language.ENGLISH) for text in texts)
    others = {py3langid.classify(text)[0] for text in texts} | {langdetect.detect(text) for text in texts}
    print(name, *found, "up to", f"{english:.2f}")
    print("  of three:", *three, "py3langid and langdetect:", *others)
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "lingua-language-detector==2.1.1: $found"
[ "$found" = "Malgorzata en en en en en en en en up to 0.57
  of three: en en en en en en en en py3langid and langdetect: en
Małgorzata tl tl tl tl tl tl tl tl up to 0.00
  of three: pl pl pl pl pl pl pl pl py3langid and langdetect: en
Łukasz sn tl af tl cy en af tl up to 0.14
  of three: de pl pl en en en en en py3langid and langdetect: en" ]
