#!/usr/bin/env bash
# memvid-sdk 2.0.160 (PyPI): after a note is removed, its facts about a person are still known, also when the file is
# opened again.
#
# Guess: `put` uses rules to extract facts from a note ("Ann lives in Oslo": her location is Oslo), each with the number
# of its note. `remove` deletes the note, so its facts go with it, or are no longer returned.
# Seen: The note is in no search result and not in the timeline, but `state("Ann")` and `memories()` return its facts as
# before, with the number of a note that is gone, and Ann is still in the list of people. The reopened file has them
# too. `state` calls Ann "found", although all of her notes were removed. A program that removes a note because Ann
# asked it to can still tell its model the fact.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check memvid-sdk==2.0.160
cd "$folder"
cat > program.py <<'PROGRAM'
from memvid_sdk import create, use


def show(when, memory):
    state = memory.state("Ann")
    facts = {slot: fact["value"] for slot, fact in state["slots"].items()}
    found = [hit["title"] for word in ("Oslo", "figs", "Acme") for hit in memory.find(word)["hits"]]
    timeline, people = len(memory.timeline()), memory.memory_entities()
    print(f"{when}: {len(found)} found, {timeline} in the timeline, {people}", *sorted(facts.values()))


memory = create("notes.mv2")
texts = ["Ann lives in Oslo.", "Ann hates figs.", "Ann works at Acme."]
notes = [memory.put(title="note", label="note", text=text) for text in texts]
memory.commit()
show("noted", memory)
for note in notes:
    memory.remove(int(note))
memory.commit()
show("removed", memory)
memory.seal()
show("opened anew", use("basic", "notes.mv2", mode="open"))
PROGRAM
found=$(MEMVID_TELEMETRY=0 "$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "memvid-sdk==2.0.160:"
echo "$found"
[ "$found" = "noted: 3 found, 3 in the timeline, ['ann'] Acme Oslo figs
removed: 0 found, 0 in the timeline, ['ann'] Acme Oslo figs
opened anew: 0 found, 0 in the timeline, ['ann'] Acme Oslo figs" ]
