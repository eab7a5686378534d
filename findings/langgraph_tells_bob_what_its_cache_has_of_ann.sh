#!/usr/bin/env bash
# langgraph 1.2.24: with a cache, a node that looks up the user's own data gives it to the next user who asks the same.
#
# Guess: A node has its state, the context and the config of the run, and the store. With `CachePolicy`, it is run again
# where one of them differs: Ann's question and Bob's, in threads of their own, are two, and a note that was changed in
# the store is the new one.
# Seen: The key is made of the state alone, and of the name of the node. Bob, who asks "What is my PIN?" in his thread,
# with his context and his user id in the config, is told Ann's. So is Ann, once hers has changed in the store, and
# without `ttl` she is for ever. (The docs say "based on the input to the node", and the other three look like input.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph==1.2.24
cat > "$folder/program.py" <<'PROGRAM'
from dataclasses import dataclass
from typing import TypedDict

from langgraph.cache.memory import InMemoryCache
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import CachePolicy


class Talk(TypedDict):
    question: str
    answer: str


@dataclass
class User:
    name: str


def look_up(state: Talk, runtime: Runtime[User]):
    return {"answer": runtime.store.get(("pins",), runtime.context.name).value["pin"]}


store = InMemoryStore()
store.put(("pins",), "Ann", {"pin": "4711"})
store.put(("pins",), "Bob", {"pin": "0815"})


def made(policy):
    graph = StateGraph(Talk, context_schema=User)
    graph.add_node("look_up", look_up, cache_policy=policy)
    graph.add_edge(START, "look_up")
    return graph.compile(cache=InMemoryCache(), store=store, checkpointer=InMemorySaver())


def ask(app, user, thread):
    config = {"configurable": {"thread_id": thread, "user_id": user}}
    return app.invoke({"question": "What is my PIN?"}, config, context=User(user))["answer"]


for name, policy in (("without", None), ("with", CachePolicy())):
    app = made(policy)
    told = [f"Ann {ask(app, 'Ann', 'a')}", f"Bob {ask(app, 'Bob', 'b')}"]
    store.put(("pins",), "Ann", {"pin": "9999"})
    told.append(f"Ann, after the change, {ask(app, 'Ann', 'c')}")
    store.put(("pins",), "Ann", {"pin": "4711"})
    print(f"{name} a cache:", "; ".join(told))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langgraph==1.2.24:" $found
[ "$found" = "without a cache: Ann 4711; Bob 0815; Ann, after the change, 9999
with a cache: Ann 4711; Bob 4711; Ann, after the change, 4711" ]
