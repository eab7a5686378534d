#!/usr/bin/env bash
# langgraph-checkpoint-postgres 3.2.0 with langgraph-checkpoint 4.3.2: in PostgreSQL, one note with many facts leaves no
# place for other notes in a search, nor on its next page.
#
# Guess: `search` with `limit=3` gives the three best notes, and with `offset=3` the next ones, to the last note, as
# `InMemoryStore` does: with "facts[*]" in the index, a note is found by its best fact.
# Seen: PostgreSQL takes the thirteen nearest facts (four times the limit, and one), makes one note each of them, and
# counts the pages in what is left. With fifty facts about figs in Ann's note, all thirteen are hers: the question about
# figs finds her note alone, though twenty more have figs in them. Where each note has one fact, the fifth page ends
# after one note, and the sixth is empty. (Upstream knows of the pages, in SQLite.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph-checkpoint==4.3.2 \
    langgraph-checkpoint-postgres==3.2.0 langchain-core==1.8.3 psycopg-binary==3.3.9 pgserver==0.1.4 numpy==2.4.6
cat > "$folder/program.py" <<'PROGRAM'
import os
import sys

import pgserver
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import PostgresStore


def embed(texts):
    return [[float("figs" in text), 0.1 * ("tea" in text), 0.01] for text in texts]


def report(name, store):
    for count in (1, 50):
        for number in range(20):
            store.put(("notes",), f"bob{number}", {"facts": [f"I like tea and figs, number {number}."]})
        store.put(("notes",), "ann", {"facts": [f"I like figs, number {number}." for number in range(count)]})
        pages = [len(store.search(("notes",), query="figs?", limit=3, offset=offset)) for offset in (0, 3, 12, 15)]
        print(f"{name}, {count} facts:", *pages)


index = {"dims": 3, "embed": embed, "fields": ["facts[*]"], "ann_index_config": {"kind": "flat"}}
report("memory", InMemoryStore(index=index))
os.chmod(sys.argv[1], 0o755)
server = pgserver.get_server(f"{sys.argv[1]}/database")
with PostgresStore.from_conn_string(server.get_uri(), index=index) as store:
    store.setup()
    report("PostgreSQL", store)
server.cleanup()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" 2> /dev/null)
echo "langgraph-checkpoint-postgres==3.2.0:" $found
[ "$found" = "memory, 1 facts: 3 3 3 3
memory, 50 facts: 3 3 3 3
PostgreSQL, 1 facts: 3 3 1 0
PostgreSQL, 50 facts: 1 0 0 0" ]
