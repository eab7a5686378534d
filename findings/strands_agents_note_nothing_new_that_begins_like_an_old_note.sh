#!/usr/bin/env bash
# strands-agents 1.62.0: of two notes whose first 50 letters and digits are alike, its `FileMemoryStore` drops the
# second, and tells the model that it is stored.
#
# Guess: A note that is not there yet is written beside the others, or takes the place of one that it corrects; the tool
# `add_memory` says {"stored": 1} of what a search can find from then on.
# Seen: The first line of a note, without all but a to z, digits and spaces, and cut at 50 characters, is the name of
# its file; where there is one, the further lines are added to it, and a note of one line has none. So the new door code
# is dropped, as its number comes late, the rent of 1.20 is that of 120, and of all that is noted in Chinese about Ann,
# only the first note stays, as the name of the file is "ann". A heading over each note, which the prompt for its own
# extraction asks for, keeps both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check strands-agents==1.62.0
cd "$folder"
cat > program.py <<'PROGRAM'
import asyncio

from strands.memory import MemoryManager
from strands.vended_memory_stores.file_memory_store import FileMemoryStore

talks = {
    "codes": [
        "The code of the door of Ann's flat in the old town of Oslo is 4711.",
        "The code of the door of Ann's flat in the old town of Oslo is 5813.",
    ],
    "rents": ["Ann's rent is 120 a day.", "Ann's rent is 1.20 a day."],
    "ann": ["Ann 住在杭州。", "Ann 不吃坚果。", "Ann 有一只猫。"],
    "headings": ["# Code\nThe code is 4711.", "# Code\nThe code is 5813."],
}


async def main():
    for subject, notes in talks.items():
        memory = MemoryManager(stores=[FileMemoryStore(name=subject)], add_tool_config=True)
        add = next(tool for tool in memory.tools if tool.tool_name == "add_memory")
        said = [await add(entries=[note]) for note in notes]
        found = await memory.search("the code, the rent and Ann")
        print(subject, *(answer["stored"] for answer in said), *(entry.content for entry in found))


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "strands-agents==1.62.0: $found"
[ "$found" = "codes 1 1 The code of the door of Ann's flat in the old town of Oslo is 4711.
rents 1 1 Ann's rent is 120 a day.
ann 1 1 1 Ann 住在杭州。
headings 1 1 # Code
The code is 4711.
The code is 5813." ]
