#!/usr/bin/env bash
# haystack-ai 3.4.1 with pgvector-haystack 8.1.2 and PostgreSQL (in pgserver 0.1.4): a filter by a decimal number finds
# other notes in PostgreSQL than in memory: 0.9 is not 0.9, but below it.
#
# Guess: A filter means the same in all document stores: == 0.9 and >= 0.9 find a note with an importance of 0.9 in
# `InMemoryDocumentStore` and in `PgvectorDocumentStore`.
# Seen: PostgreSQL reads the stored number with 32 bits and compares it with one of 64 bits. 0.9 becomes 0.89999998,
# which neither filter finds, and 0.8 is above 0.8; only sums of halves, quarters and so on, such as 0.5, stay exact.
# Whole numbers are read with 32 bits too: once one note has a chat id above 2^31, as Telegram's ids can be, a filter by
# any chat is an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check haystack-ai==3.4.1 pgvector-haystack==8.1.2 \
    psycopg==3.3.9 psycopg-binary==3.3.9 pgserver==0.1.4
cd "$folder"
export HAYSTACK_TELEMETRY_ENABLED=False
cat > program.py <<'PROGRAM'
import os

import pgserver
from haystack import Document
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret
from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore

notes = [("figs", 0.9, 1), ("tea", 0.8, 3), ("boat", 0.5, 4)]
conditions = (("==", 0.9), (">=", 0.9), ("<", 0.9), (">", 0.8), ("in", [0.8]), ("==", 0.5))
asked = [("importance", *condition) for condition in conditions] + [("chat", "==", 3)]
server = pgserver.get_server(os.path.abspath("postgres"))
try:
    url = Secret.from_token(server.get_uri())
    for store in (InMemoryDocumentStore(), PgvectorDocumentStore(connection_string=url, embedding_dimension=2)):
        documents = [Document(content=text, meta={"importance": much, "chat": chat}) for text, much, chat in notes]
        store.write_documents(documents)

        def finds(member, operator, value):
            try:
                found = store.filter_documents({"field": f"meta.{member}", "operator": operator, "value": value})
            except Exception as error:
                return type(error).__name__
            return "+".join(sorted(document.content for document in found)) or "nothing"

        print(f"{type(store).__name__[:-13]}:", *(f"{query[1]} {query[2]} {finds(*query)}," for query in asked))
        store.write_documents([Document(content="cat", meta={"chat": 5123456789})])
        print("and with a larger one:", finds("chat", "==", 3))
finally:
    server.cleanup()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "pgvector-haystack==8.1.2:" "$found"
[ "$found" = "InMemory: == 0.9 figs, >= 0.9 figs, < 0.9 boat+tea, > 0.8 figs, in [0.8] tea, == 0.5 boat, == 3 tea,
and with a larger one: tea
Pgvector: == 0.9 nothing, >= 0.9 nothing, < 0.9 boat+figs+tea, > 0.8 figs+tea, in [0.8] nothing, == 0.5 boat, == 3 tea,
and with a larger one: DocumentStoreError" ]
