#!/usr/bin/env bash
# agno 3.1.10 with lancedb 0.40.0, beside PostgreSQL (in pgserver 0.1.4): a search among Ann's notes finds nothing if
# five notes of other users are nearer; with the newer form of filter, it shows her those.
#
# Guess: In each vector store, `search` with a filter finds the best of Ann's notes; a store that does not support a
# form of filter raises an error. (For its own `user_id`, the code of this store says that filtering after the search
# would cut results off.)
# Seen: The code asks LanceDB for the best five of all notes and filters these: none of Ann's is left. With a limit of
# ten, one is. A list of expressions, such as `[EQ("user", "ann")]`, is ignored with a line in the log, and the answer
# is the best five, all of them Bob's. PostgreSQL finds Ann's note in each case.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agno==3.1.10 lancedb==0.40.0 sqlalchemy==2.0.58 \
    greenlet==3.5.6 pgvector==0.5.1 pgserver==0.1.4 psycopg==3.3.9 psycopg-binary==3.3.9
cd "$folder"
cat > program.py <<'PROGRAM'
import logging
import os

import pgserver
from agno.filters import EQ
from agno.knowledge.document import Document
from agno.knowledge.embedder.base import Embedder
from agno.vectordb.lancedb import LanceDb
from agno.vectordb.pgvector import PgVector

logging.disable(logging.CRITICAL)


class Words(Embedder):
    def get_embedding(self, text):
        return [float(text.count(word)) for word in ("boat", "figs")]

    def get_embedding_and_usage(self, text):
        return self.get_embedding(text), None


notes = [(f"My boat has the number {number}.", "bob") for number in range(6)]
notes.append(("My boat is full of figs.", "ann"))
documents = [Document(content=text, name=text, meta_data={"user": user}) for text, user in notes]
server = pgserver.get_server(os.path.abspath("postgres"))
try:
    url = server.get_uri().replace("postgresql://", "postgresql+psycopg://")
    postgres = PgVector("notes", db_url=url, embedder=Words(2))
    for store in (postgres, LanceDb("lance", table_name="notes", embedder=Words(2))):
        store.create()
        store.insert("notes", documents)
        for limit, filters in ((5, {"user": "ann"}), (10, {"user": "ann"}), (5, [EQ("user", "ann")])):
            found = store.search("Where is my boat?", limit=limit, filters=filters)
            users = sorted(document.meta_data["user"] for document in found)
            print(type(store).__name__, limit, type(filters).__name__, *users)
finally:
    server.cleanup()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "agno==3.1.10:" $found
[ "$found" = "PgVector 5 dict ann
PgVector 10 dict ann
PgVector 5 list ann
LanceDb 5 dict
LanceDb 10 dict ann
LanceDb 5 list bob bob bob bob bob" ]
