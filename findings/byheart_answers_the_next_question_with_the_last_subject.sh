#!/usr/bin/env bash
# yait-byheart 0.1.1: with the default options, a question about another subject shows the stretches of the one before.
#
# Guess: "The selection changes only when the subject genuinely moves": asked about the cat after the boat, `compose`
# shows what was said about the cat, which its own ranking puts first.
# Seen: It counts stretches, not subjects: three in ten of those selected may change before the old selection goes.
# The default budget of 20,000 characters holds about 20, so a subject of up to six stretches never moves it. Three of
# four questions get a view without a word about their subject. Asked first, each of them shows it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check yait-byheart==0.1.1
cat > "$folder/program.py" <<'PROGRAM'
from yait_byheart import Memory

SUBJECTS = {
    "boat": "Our boat Selma needs a new mast before Easter.",
    "cat": "Our cat Tom eats only salmon from Bergen.",
    "oven": "Our oven burns most cakes this week.",
    "rent": "Our landlord raises rent again.",
}


def told():
    """A memory of the four subjects, with a novel in between."""
    memory = Memory()
    for number, subject in enumerate(SUBJECTS.values()):
        for text in (subject, *(f"The novel goes on with chapter {number}.{part}." for part in range(50))):
            for remark in range(8):
                memory.append("user", f"{text} That is remark {remark} on the matter, and what about the weather?")
                memory.append("assistant", "The weather is fine.")
    return memory


def shown(memory, name):
    found = memory.compose(f"Which {name}?")["messages"][:-1]
    return any(SUBJECTS[name] in part["text"] for message in found for part in message["parts"])


memory = told()
print([shown(memory, name) for name in SUBJECTS], [shown(told(), name) for name in SUBJECTS])
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "yait-byheart==0.1.1: $found"
[ "$found" = "[True, False, False, False] [True, True, True, True]" ]
