#!/usr/bin/env bash
# lightrag-hku 1.5.7: what was answered once is answered again after its document was deleted or replaced, and after a
# restart.
#
# Guess: `adelete_by_doc_id(..., delete_llm_cache=True)` forgets a document and all that was made of it, as it says of
# chunks, entities and relations: a question about the PIN in it has no answer any more. After a document with another
# PIN, the answer is that one.
# Seen: Answers are kept by the question alone, and neither a deletion nor a new document touches them; the option is
# for what was extracted. So the same question gets the deleted PIN without the model being asked, when a new one is
# there, too, and it stays in a file. In other words, the question gets the answer of the day. (Upstream knows of new
# documents: issue 755, open since 2025.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check lightrag-hku==1.5.7 nano-vectordb==0.0.4.3
cd "$folder"
cat > program.py <<'PROGRAM'
import asyncio
import logging
from pathlib import Path

import numpy
from lightrag import LightRAG, QueryParam
from lightrag.utils import EmbeddingFunc, Tokenizer

logging.disable(logging.CRITICAL)
words = ["pin", "figs", "ann"]


class Letters:
    def encode(self, text):
        return [ord(letter) for letter in text]

    def decode(self, numbers):
        return "".join(map(chr, numbers))


async def embed(texts):
    return numpy.array([[text.lower().count(word) + 0.1 for word in words] for text in texts])


async def model(prompt, system_prompt="", **options):
    text = f"{system_prompt} {prompt}"
    if "high_level_keywords" in text:
        return '{"high_level_keywords": ["PIN"], "low_level_keywords": ["Ann"]}'
    if "<|#|>" in text:
        return "entity<|#|>Ann<|#|>person<|#|>Ann is a user.\n<|COMPLETE|>"
    return f"The PIN is {'4711' if '4711' in text else '5813' if '5813' in text else 'unknown'}."


async def opened():
    embedding = EmbeddingFunc(embedding_dim=len(words), func=embed)
    rag = LightRAG("rag", llm_model_func=model, embedding_func=embedding, tokenizer=Tokenizer("letters", Letters()))
    await rag.initialize_storages()
    return rag


async def main():
    rag = await opened()

    async def show(when):
        option = QueryParam(mode="mix", enable_rerank=False)
        answers = [await rag.aquery(question, option) for question in ("What is Ann's PIN?", f"Ann's PIN {when}?")]
        print(f"{when}:", *answers)

    await rag.ainsert(["Ann has the PIN 4711.", "Ann likes figs."], ids=["pin", "figs"])
    await show("told")
    print((await rag.adelete_by_doc_id("pin", delete_llm_cache=True)).status)
    await show("deleted")
    await rag.ainsert(["Ann has the PIN 5813."], ids=["new"])
    await rag.finalize_storages()
    rag = await opened()
    await show("new")
    await rag.finalize_storages()
    print(*[path.name for path in sorted(Path("rag").iterdir()) if "4711" in path.read_text()])


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "lightrag-hku==1.5.7:" $found
[ "$found" = "told: The PIN is 4711. The PIN is 4711.
success
deleted: The PIN is 4711. The PIN is unknown.
new: The PIN is 4711. The PIN is 5813.
kv_store_llm_response_cache.json" ]
