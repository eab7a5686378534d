#!/usr/bin/env bash
# pgvector-haystack 8.1.2, agno 3.1.10 and llama-index-vector-stores-postgres 0.9.0, with PostgreSQL (in pgserver
# 0.1.4): for one question, one keyword search finds nothing, one returns an unrelated note, and one finds the right
# note.
#
# Guess: A keyword search takes the user's question, as it is half of a hybrid search. Notes with more of its words come
# first, and a note with none of them is not found, as in `InMemoryDocumentStore` of Haystack. All three use the same
# index of the same PostgreSQL.
# Seen: Haystack asks for notes with all words, except words such as "of": "Please tell me" before a question leaves
# nothing. Agno asks for all words too, but only to sort by: if no note has them all, it gives the first notes of the
# table, even for a word that is in no note. LlamaIndex asks for any of the words.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check haystack-ai==3.4.1 pgvector-haystack==8.1.2 \
    psycopg==3.3.9 psycopg-binary==3.3.9 pgserver==0.1.4 agno==3.1.10 llama-index-core==0.14.25 \
    llama-index-vector-stores-postgres==0.9.0 sqlalchemy==2.0.58
cd "$folder"
cat > program.py <<'PROGRAM'
import logging
import os

import pgserver
from agno.knowledge.document import Document as AgnoDocument
from agno.knowledge.embedder.base import Embedder
from agno.vectordb.pgvector import PgVector, SearchType
from haystack import Document
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret
from haystack_integrations.components.retrievers.pgvector import PgvectorKeywordRetriever
from haystack_integrations.document_stores.pgvector import PgvectorDocumentStore
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryMode
from llama_index.vector_stores.postgres import PGVectorStore

notes = ["I like figs.", "My tea is green.", "My boat is red.", "The PIN of the boat is 4711."]


class Equal(Embedder):
    def get_embedding_and_usage(self, text):
        return [1.0, 0.0], None


logging.disable(logging.CRITICAL)
server = pgserver.get_server(os.path.abspath("postgres"))
try:
    url = server.get_uri()
    driver = url.replace("postgresql://", "postgresql+{}://").format
    memory = InMemoryDocumentStore()
    haystack = PgvectorDocumentStore(connection_string=Secret.from_token(url), embedding_dimension=2)
    for store in (memory, haystack):
        store.write_documents([Document(content=note) for note in notes])
    agno = PgVector("notes", db_url=driver("psycopg"), embedder=Equal(2), search_type=SearchType.keyword)
    agno.create()
    agno.insert("notes", [AgnoDocument(content=note, name=note) for note in notes])
    llama_index = PGVectorStore.from_params(connection_string=driver("psycopg2"),
        async_connection_string=driver("asyncpg"), embed_dim=2, hybrid_search=True)
    llama_index.add([TextNode(text=note, embedding=[1.0, 0.0]) for note in notes])
    for question in ("the PIN of the boat", "Please tell me the PIN of the boat.", "zebra"):
        query = VectorStoreQuery([1.0, 0.0], 1, query_str=question, mode=VectorStoreQueryMode.SPARSE)
        found = [
            memory.bm25_retrieval(question, top_k=1),
            PgvectorKeywordRetriever(document_store=haystack).run(query=question, top_k=1)["documents"],
            agno.search(question, limit=1),
            llama_index.query(query).nodes[:1],
        ]
        texts = [[getattr(note, "text", "") or note.content for note in notes] for notes in found]
        named = zip(("memory", "Haystack", "Agno", "LlamaIndex"), texts)
        print(question, *(": ".join([name, *text]) for name, text in named), sep=" / ")
finally:
    server.cleanup()
PROGRAM
found=$(HAYSTACK_TELEMETRY_ENABLED=False "$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "$found"
pin="The PIN of the boat is 4711."
[ "$found" = "the PIN of the boat / memory: $pin / Haystack: $pin / Agno: $pin / LlamaIndex: $pin
Please tell me the PIN of the boat. / memory: $pin / Haystack / Agno: I like figs. / LlamaIndex: $pin
zebra / memory / Haystack / Agno: I like figs. / LlamaIndex" ]
