#!/usr/bin/env bash
# langchain-classic 1.0.8: an entity memory that is filled by `save_context` alone asks no model and notes nothing.
#
# Guess: `save_context` finds the names in what was said and updates their notes, so a transcript can be saved first
# and asked later; and a message about Bob updates the note on Bob.
# Seen: It updates the names that the last `load_memory_variables` found. Saved without a load, three messages about Anna
# leave no note. After a load about Anna, a message about Bob is noted under Anna, and Bob stays unknown.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-classic==1.0.8 langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain_classic.memory import ConversationEntityMemory
from langchain_core.language_models import FakeListLLM

# The model answers the question for names with "Anna", and each update of a note with a note.
memory = ConversationEntityMemory(llm=FakeListLLM(responses=["Anna", "a note"]))
for where in ("Oslo", "Bergen", "Molde"):
    memory.save_context({"input": f"Anna moves to {where}."}, {"output": "Good for her."})
print(memory.entity_store.store)
memory.load_memory_variables({"input": "Where is Anna now?"})
memory.save_context({"input": "By the way, Bob is ill."}, {"output": "Get well, Bob!"})
print(memory.entity_store.store)
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langchain-classic==1.0.8: $found"
[ "$found" = "{}
{'Anna': 'a note'}" ]
