#!/usr/bin/env bash
# semantic-kernel 1.45.0 with faiss-cpu 1.15.1: after two notes are deleted, the older one first, the words of a deleted
# note find a third note, and its own words match it less well.
#
# Guess: `FaissCollection` can take the place of `InMemoryCollection`, its parent class: a deleted note takes its own
# vector with it, and each other note is found as before.
# Seen: Each note keeps the position that its vector had when it was added, and FAISS closes the gap at each deletion.
# So the second deletion removes the vector of the note about the boat; the deleted note's vector stays and counts as
# the boat's. A question about tea finds the note about the boat at the distance 0, and one about the boat finds it at
# the distance 2. If the newer one is deleted first, all is well.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check semantic-kernel==1.45.0 faiss-cpu==1.15.1
cd "$folder"
cat > program.py <<'PROGRAM'
import asyncio
from dataclasses import dataclass
from typing import Annotated

from semantic_kernel.connectors.faiss import FaissCollection
from semantic_kernel.connectors.in_memory import InMemoryCollection
from semantic_kernel.data.vector import DistanceFunction, VectorStoreField, vectorstoremodel

words = ["figs", "tea", "boat", "code", "cat"]
distance = DistanceFunction.EUCLIDEAN_SQUARED_DISTANCE
vector_field = VectorStoreField("vector", dimensions=len(words), type="float", distance_function=distance)


@vectorstoremodel
@dataclass
class Note:
    id: Annotated[str, VectorStoreField("key")]
    text: Annotated[str, VectorStoreField("data")]
    vector: Annotated[list[float] | None, vector_field] = None


def embed(text):
    return [float(text.count(word)) for word in words]


async def main():
    notes = ["I like figs.", "I drink tea.", "My boat is red.", "The code is 4711.", "My cat is ill."]
    for kind in (InMemoryCollection, FaissCollection):
        for forget in (["0", "1"], ["1", "0"]):
            collection = kind(record_type=Note, collection_name="notes")
            await collection.ensure_collection_exists()
            for number, text in enumerate(notes):
                await collection.upsert(Note(str(number), text, embed(text)))
            for key in forget:
                await collection.delete(key)
            print(kind.__name__, "without", *forget)
            for word in words[1:]:
                results = (await collection.search(vector=embed(word), top=1)).results
                print(f"{word}:", *[f"{result.record.text} {result.score:.0f}" async for result in results])


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "semantic-kernel==1.45.0:" $found
right="tea: My boat is red. 2
boat: My boat is red. 0
code: The code is 4711. 0
cat: My cat is ill. 0"
[ "$found" = "InMemoryCollection without 0 1
$right
InMemoryCollection without 1 0
$right
FaissCollection without 0 1
tea: My boat is red. 0
boat: My boat is red. 2
code: The code is 4711. 0
cat: My cat is ill. 0
FaissCollection without 1 0
$right" ]
