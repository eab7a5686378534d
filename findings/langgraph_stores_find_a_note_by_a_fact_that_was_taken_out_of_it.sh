#!/usr/bin/env bash
# langgraph-checkpoint 4.3.2 and langgraph-checkpoint-postgres 3.2.0: a note is found by a fact that is no longer in it.
#
# Guess: `put` of a note under a key that is there takes the place of the old note, in the search by meaning, too: with
# "facts[*]" in the index, each fact of the note has a vector, and the vectors of the old facts go with them.
# Seen: Only vectors of a fact with the same number in the list are written anew. If two facts become one, all old ones
# stay, as a list of one has no number. So a search for the PIN finds Ann's note, which has figs in it now, as the best
# one, with the full score of the PIN, and Bob's, who said where he keeps it, behind that. It is so in memory and in
# PostgreSQL; only `delete` before the `put` takes them away. (Upstream knows of `put` with `index=False`, in memory.)
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

WORDS = ("pin", "oslo", "figs", "safe")


def embed(texts):
    return [[float(word in text.lower()) for word in WORDS] + [0.01] for text in texts]


def report(name, store):
    def search():
        return " then ".join(f"{item.key} {item.score:.1f}" for item in store.search(("notes",), query="PIN?"))

    store.put(("notes",), "ann", {"facts": ["My PIN is 4711.", "I live in Oslo."]})
    store.put(("notes",), "bob", {"facts": ["My PIN is in the safe."]})
    before = search()
    store.put(("notes",), "ann", {"facts": ["I like figs."]})
    after = search()
    store.delete(("notes",), "ann")
    store.put(("notes",), "ann", {"facts": ["I like figs."]})
    print(f"{name}: {before}; replaced: {after}; deleted and put: {search()}")


index = {"dims": len(WORDS) + 1, "embed": embed, "fields": ["facts[*]"]}
report("memory", InMemoryStore(index=index))
os.chmod(sys.argv[1], 0o755)
server = pgserver.get_server(f"{sys.argv[1]}/database")
with PostgresStore.from_conn_string(server.get_uri(), index=index) as store:
    store.setup()
    report("PostgreSQL", store)
server.cleanup()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" 2> /dev/null)
echo "langgraph-checkpoint==4.3.2, langgraph-checkpoint-postgres==3.2.0:" $found
[ "$found" = "memory: ann 1.0 then bob 0.7; replaced: ann 1.0 then bob 0.7; deleted and put: bob 0.7 then ann 0.0
PostgreSQL: ann 1.0 then bob 0.7; replaced: ann 1.0 then bob 0.7; deleted and put: bob 0.7 then ann 0.0" ]
