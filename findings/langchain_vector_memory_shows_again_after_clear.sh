#!/usr/bin/env bash
# langchain-classic 1.0.8: `clear` leaves all words of a `VectorStoreRetrieverMemory`, also one within a combination.
#
# Guess: after `clear()`, a memory shows nothing, as with its six siblings; and `CombinedMemory.clear()` clears its
# members.
# Seen: The retriever's `clear` does nothing and says nothing. The store that it wrote to keeps everything, and the next
# load shows it, while the buffer beside it is empty.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-classic==1.0.8 langchain-core==1.8.3 numpy
cat > "$folder/program.py" <<'PROGRAM'
from langchain_classic.memory import CombinedMemory, ConversationBufferMemory, VectorStoreRetrieverMemory
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore

vectors = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
memory = CombinedMemory(
    memories=[
        VectorStoreRetrieverMemory(retriever=vectors.as_retriever(), memory_key="found", input_key="input"),
        ConversationBufferMemory(memory_key="newest", input_key="input"),
    ]
)
memory.save_context({"input": "My PIN is 4711."}, {"output": "Noted."})
memory.clear()
print({name: "4711" in text for name, text in memory.load_memory_variables({"input": "What is my PIN?"}).items()})
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langchain-classic==1.0.8: $found"
[ "$found" = "{'found': True, 'newest': False}" ]
