#!/usr/bin/env bash
# presidio-analyzer 2.2.366 with presidio-anonymizer 2.2.366: an allergy is redacted as a URL, and a wage as a driver's
# licence.
#
# Guess: Redaction removes personal data and leaves the rest. A missing space after a full stop, as in a chat, does not
# turn two sentences into a URL. A number without a word such as "licence" near it is a number.
# Seen: A word, a dot and two letters are a URL if the letters are a country's domain: "nuts.So", "you.My" and "Rome.It"
# are replaced, and "tea.Bob" loses the first two letters of Bob too. The score is 0.5, more than for a phone number
# (0.4). Any number of six to fourteen digits is a US driver's licence with a score of 0.01, and the default replaces
# everything that has a score, so a wage and a number of steps are gone. The model for names makes no difference here;
# the program has none. (Upstream has open issues on URLs in code.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check presidio-analyzer==2.2.366 \
    presidio-anonymizer==2.2.366 spacy==3.8.18
cat > "$folder/program.py" <<'PROGRAM'
import spacy
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import SpacyNlpEngine
from presidio_anonymizer import AnonymizerEngine


class WithoutModel(SpacyNlpEngine):
    def __init__(self):
        super().__init__()
        self.nlp = {"en": spacy.blank("en")}


analyzer, anonymizer = AnalyzerEngine(nlp_engine=WithoutModel()), AnonymizerEngine()
SAID = [
    "I am allergic to nuts. So no cake, please.",
    "I am allergic to nuts.So no cake, please.",
    "I miss you.My flat is in Rome.It is cold.",
    "Ann likes tea.Bob likes figs.",
    "She earns 120000 a year, and walked 2000000 steps.",
]
for said in SAID:
    print(anonymizer.anonymize(said, analyzer.analyze(said, language="en")).text)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "$found"
[ "$found" = "I am allergic to nuts. So no cake, please.
I am allergic to <URL> no cake, please.
I miss <URL> flat is in <URL> is cold.
Ann likes <URL>b likes figs.
She earns <US_DRIVER_LICENSE> a year, and walked <US_DRIVER_LICENSE> steps." ]
