#!/usr/bin/env bash
# nano-vectordb 0.0.4.3: notes of a user are lost, without an error, once as many other users came as the store holds in
# memory.
#
# Guess: `MultiTenantNanoVDB` keeps up to `max_capacity` users in memory and the rest in files, and hides which is
# where: a note that is added to the database of `get_tenant`, and a `save()`, keep it.
# Seen: A user who makes room is written to a file, and the object that the program holds goes on as if nothing had
# happened: it takes notes and finds them, and `save()` of the store does not know it any more. The next `get_tenant`
# reads the file, without them. The user who came first goes, however often he was asked for; so with room for two
# users, Ann, who is looked up at each turn, is the one who goes. And a filter that no note passes is an IndexError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nano-vectordb==0.0.4.3 numpy==2.4.6
cat > "$folder/program.py" <<'PROGRAM'
import contextlib
import io
import sys

import numpy as np
from nano_vectordb import MultiTenantNanoVDB


def add(database, note):
    database.upsert([{"__id__": note, "__vector__": np.array([1.0, float(len(note))], dtype=np.float32)}])


def notes(database, **options):
    return [found["__id__"] for found in database.query(np.array([1.0, 1.0], dtype=np.float32), **options)]


results = []
with contextlib.redirect_stdout(io.StringIO()):
    for others in (1, 2):
        store = MultiTenantNanoVDB(2, max_capacity=2, storage_dir=f"{sys.argv[1]}/{others}")
        name = store.create_tenant()
        ann = store.get_tenant(name)
        add(ann, "boat")
        for _ in range(others):
            store.get_tenant(name)
            store.create_tenant()
        add(ann, "cat")
        held = sorted(notes(ann))
        store.save()
        results.append(f"{others} others: held {held}, after save {sorted(notes(store.get_tenant(name)))}")
    try:
        notes(ann, filter_lambda=lambda note: note["__id__"] == "rent")
    except IndexError as error:
        results.append(f"filter: {type(error).__name__}")
print(*results, sep="\n")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" 2> /dev/null)
echo "nano-vectordb==0.0.4.3:" $found
[ "$found" = "1 others: held ['boat', 'cat'], after save ['boat', 'cat']
2 others: held ['boat', 'cat'], after save ['boat']
filter: IndexError" ]
