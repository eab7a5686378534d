#!/usr/bin/env bash
# camel-ai 0.2.90 with qdrant-client 1.20.0: the best hit of its vector memory for a question is the question itself.
# When a user asks it for the third time, the model is shown it three times, and nothing else.
#
# Guess: A `VectorDBMemory` of three places sends the model the system prompt, the three notes of earlier turns that fit
# the question best, and the question. A `LongtermAgentMemory` also sends the talk, with each message once.
# Seen: The question is stored before the memory is searched, so it is its own best hit, and so is each repetition of
# it. The system prompt is a note like any other, and it is gone at the second turn. The long-term memory sends the
# question twice in each turn, and all other hits too, since they are also in the talk; in the first turn it sends the
# system prompt twice. (The docstring says that the newest messages are not added to the context.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check camel-ai==0.2.90 qdrant-client==1.20.0 "mcp<2"
cd "$folder"
cat > program.py <<'PROGRAM'
from camel.agents import ChatAgent
from camel.embeddings import BaseEmbedding
from camel.memories import LongtermAgentMemory, ScoreBasedContextCreator, VectorDBBlock, VectorDBMemory
from camel.models import ModelFactory
from camel.storages import QdrantStorage
from camel.types import ModelPlatformType, ModelType

words = ["kind", "pin", "figs", "boat", "lorem"]


class Words(BaseEmbedding):
    def embed_list(self, texts, **_):
        return [[text.lower().count(word) + 0.01 for word in words] for text in texts]

    def get_output_dim(self):
        return len(words)


class Agent(ChatAgent):
    """Keeps what its model is sent."""

    def _get_model_response(self, openai_messages, *args, **options):
        self.sent = openai_messages
        return super()._get_model_response(openai_messages, *args, **options)


short = {"Be kind.": "S", "Lorem Ipsum": "A", "The pin of my boat is 4711.": "4711", "What is my pin?": "Q"}
for kind in (VectorDBMemory, LongtermAgentMemory):
    model = ModelFactory.create(model_platform=ModelPlatformType.OPENAI, model_type=ModelType.STUB)
    context = ScoreBasedContextCreator(model.token_counter, 4000)
    storage = QdrantStorage(vector_dim=len(words), collection_name="notes")
    if kind is VectorDBMemory:
        memory = VectorDBMemory(context, storage)
        memory._vectordb_block.embedding = Words()
    else:
        memory = LongtermAgentMemory(context, vector_db_block=VectorDBBlock(storage, Words()))
    agent = Agent("Be kind.", model=model, memory=memory)
    print(kind.__name__)
    for text in ("The pin of my boat is 4711.", "figs", *["What is my pin?"] * 3):
        agent.step(text)
        print(*(short.get(message["content"], message["content"]) for message in agent.sent))
PROGRAM
found=$(OPENAI_API_KEY=key "$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "camel-ai==0.2.90:" "$found"
[ "$found" = "VectorDBMemory
S 4711
4711 A figs
4711 A Q
4711 Q Q
Q Q Q
LongtermAgentMemory
S S 4711 4711
S 4711 4711 A A figs figs
S 4711 4711 A figs A A Q Q
S 4711 4711 A figs A Q Q A Q Q
S 4711 A figs A Q Q A Q Q A Q Q" ]
