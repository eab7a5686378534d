#!/usr/bin/env bash
# langgraph 1.2.24 with langgraph-checkpoint-sqlite 3.1.2: a cache on disk gives no answer for messages to another
# process.
#
# Guess: With a `SqliteCache`, a node with a `CachePolicy` is run once for one state, whether the program was restarted
# in between or several workers share the file: the key is made of the state alone.
# Seen: The key is a pickle, and in the pickle of a message is the set of the members that were given to it. In which
# order a set of names is written, depends on the hash seed, which is another one in each process. So with a message as
# a chat model returns it, nearly each process asks the model again, and adds one more row for the same state. Within
# one process the cache works, and a state of texts is found in all of them. (Each process gets a seed of its own here,
# as it does by default, so that the result is the same each time.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph==1.2.24 langgraph-checkpoint==4.3.2 \
    langgraph-checkpoint-sqlite==3.1.2 langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
import sys
from typing import TypedDict

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.cache.sqlite import SqliteCache
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import CachePolicy

talk = [
    HumanMessage("I am Ann.", id="1"),
    AIMessage(
        "Hello Ann.",
        id="2",
        name="desk",
        response_metadata={"model_name": "m"},
        usage_metadata={"input_tokens": 9, "output_tokens": 3, "total_tokens": 12},
    ),
    HumanMessage("Who am I?", id="3"),
]


class Texts(TypedDict):
    question: str
    answer: str


asked = []


def of_messages(state):
    asked.append("messages")
    return {"messages": [AIMessage("Ann.", id="4")]}


def of_texts(state):
    asked.append("texts")
    return {"answer": "Ann."}


cache = SqliteCache(path=sys.argv[1])
for state, model, value in ((MessagesState, of_messages, {"messages": talk}), (Texts, of_texts, {"question": "Who?"})):
    graph = StateGraph(state).add_node("model", model, cache_policy=CachePolicy()).add_edge(START, "model")
    for _ in range(3):
        graph.compile(cache=cache).invoke(value)
print("messages", asked.count("messages"), "texts", asked.count("texts"))
PROGRAM
found=$(for seed in 1 2 3 4 5 6; do
    PYTHONHASHSEED=$seed "$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/cache.db"
done)
echo "langgraph==1.2.24, asked in each of six processes:" $found
[ "$(grep -c "messages 1" <<< "$found")" -ge 4 ]
[ "$(grep -c "texts 1" <<< "$found")" = 1 ]
