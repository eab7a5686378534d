#!/usr/bin/env bash
# langgraph-checkpoint-sqlite 3.1.2 with sqlite-vec 0.1.9: with the distance "l2", `SqliteStore` finds the notes that
# are farthest from the question.
#
# Guess: An index takes the `distance_type` of `PostgresStore`, which has three: by each of them, the note in the words
# of the question comes first, so a program may try them, or move from one store to the other.
# Seen: Results are sorted by the score, the highest first, and for "l2" the score is the distance itself. The note in
# the words of the question has 0 and comes last: within a limit, it is not found. For "inner_product" it sorts by the
# sum of the differences: the note that says most about the boat comes behind one about figs. "cosine", the default, is
# right, and no value is refused: "l3" is read as "cosine".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph-checkpoint==4.3.2 \
    langgraph-checkpoint-sqlite==3.1.2 sqlite-vec==0.1.9 pysqlite3-binary==0.5.4.post2
cat > "$folder/program.py" <<'PROGRAM'
import re

import pysqlite3
from langgraph.store.sqlite import SqliteStore

WORDS = ("boat", "figs", "rent")
notes = ("the boat", "boat, boat, boat, boat", "figs", "rent, rent, rent")


def count_words(texts):
    return [[len(re.findall(word, text)) + 0.01 for word in WORDS] for text in texts]


for kind in ("cosine", "l2", "inner_product", "l3"):
    database = pysqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    store = SqliteStore(database, index={"dims": 3, "embed": count_words, "distance_type": kind})
    store.setup()
    for note in notes:
        store.put(("notes",), note, {"text": note})
    found = store.search(("notes",), query="the boat", limit=3)
    print(f"{kind}:", "; ".join(f"{item.key} {item.score:.2f}" for item in found))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langgraph-checkpoint-sqlite==3.1.2:" $found
[ "$found" = "cosine: the boat 1.00; boat, boat, boat, boat 1.00; figs 0.02
l2: rent, rent, rent 3.16; boat, boat, boat, boat 3.00; figs 1.41
inner_product: the boat -0.00; figs -2.00; boat, boat, boat, boat -3.00
l3: the boat 1.00; boat, boat, boat, boat 1.00; figs 0.02" ]
