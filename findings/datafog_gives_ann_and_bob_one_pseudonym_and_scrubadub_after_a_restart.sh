#!/usr/bin/env bash
# datafog 4.9.0 and scrubadub 2.0.1: after addresses are taken out of a talk, two people share one pseudonym.
#
# Guess: A pseudonym with a number (EMAIL_PSEUDO_1, EMAIL-0) tells people apart without their addresses: throughout a
# talk, one number is one person, all the more with an object that is made once and used for all messages.
# Seen: datafog starts again at 1 in each message. With one `create_guardrail(strategy="pseudonymize")`, the first
# address of each message is EMAIL_PSEUDO_1, so Ann, who is allergic to nuts, and Bob, who brings them, are one person
# to a model or a memory that reads the talk. Its strategy "token", the default, gives one address two numbers within a
# message. scrubadub counts through all messages of a process, and starts again at a restart. The hashes of both stay
# the same, in scrubadub with a fixed salt.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check datafog==4.9.0 scrubadub==2.0.1
cd "$folder"
cat > by_datafog.py <<'PROGRAM'
import datafog

TALK = [
    "ann@example.com is allergic.",
    "bob@example.com brings nuts.",
    "ann@example.com told bob@example.com, said ann@example.com.",
]
for strategy in ("pseudonymize", "token", "hash"):
    guard = datafog.create_guardrail(strategy=strategy)
    print("datafog", strategy, "|", *(guard.filter(message).redacted_text for message in TALK))
PROGRAM
cat > by_scrubadub.py <<'PROGRAM'
import sys

import scrubadub
from scrubadub.post_processors import FilthReplacer

for name, choice in (("count", {"include_count": True}), ("hash", {"include_hash": True, "hash_salt": "salt"})):
    scrubber = scrubadub.Scrubber(post_processor_list=[FilthReplacer(**choice)])
    print("scrubadub", name, "|", *(scrubber.clean(message) for message in sys.argv[1:]))
PROGRAM
ann="ann@example.com is allergic."
bob="bob@example.com brings nuts."
python=$folder/venv/bin/python
found=$("$python" by_datafog.py && "$python" -W ignore by_scrubadub.py "$ann" "$bob" &&
    "$python" -W ignore by_scrubadub.py "$bob" 2> /dev/null)
echo "$found"
A=71d4f55f72fa B=5ff860bf1190
[ "$found" = "datafog pseudonymize | [EMAIL_PSEUDO_1] is allergic. [EMAIL_PSEUDO_1] brings nuts. \
[EMAIL_PSEUDO_1] told [EMAIL_PSEUDO_2], said [EMAIL_PSEUDO_1].
datafog token | [EMAIL_1] is allergic. [EMAIL_1] brings nuts. [EMAIL_1] told [EMAIL_2], said [EMAIL_3].
datafog hash | [EMAIL_$A] is allergic. [EMAIL_$B] brings nuts. [EMAIL_$A] told [EMAIL_$B], said [EMAIL_$A].
scrubadub count | EMAIL-0 is allergic. EMAIL-1 brings nuts.
scrubadub hash | EMAIL-715CC3082CC1CBFB is allergic. EMAIL-3209097DB108D932 brings nuts.
scrubadub count | EMAIL-0 brings nuts.
scrubadub hash | EMAIL-3209097DB108D932 brings nuts." ]
