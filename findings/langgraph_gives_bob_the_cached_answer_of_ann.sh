#!/usr/bin/env bash
# langgraph 1.2.24 and @langchain/langgraph 1.7.3 (npm): a node with a cache gives one user the answer of another.
#
# Guess: What a node may read besides the state (its context, its store, its thread) is part of the question that a
# cache answers, or at least a cache of nodes is kept apart by thread and user, as checkpoints and stores are.
# Seen: The key is the node and the state, in Python and in JavaScript. If Ann and Bob ask in the same words, each on a
# new thread, and the node looks up who asks in its context, Bob is told Ann's PIN. After Ann's PIN was changed in the
# store, a new thread tells her the old one. (The docs say that the key comes from the node's input, and no more.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph==1.2.24 langgraph-checkpoint==4.3.2 \
    langchain-core==1.8.3
cd "$folder"
npm install --silent --no-fund --no-audit @langchain/langgraph@1.7.3 @langchain/langgraph-checkpoint@1.2.2 \
    @langchain/core@1.4.0 zod@4.6.7 > /dev/null
cat > program.py <<'PROGRAM'
from dataclasses import dataclass
from typing import TypedDict
from uuid import uuid4

from langgraph.cache.memory import InMemoryCache
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import CachePolicy


@dataclass
class User:
    name: str


class State(TypedDict):
    question: str
    answer: str


def look_up(state: State, runtime: Runtime[User]):
    return {"answer": runtime.store.get(("notes", runtime.context.name), "pin").value["text"]}


for policy in (None, CachePolicy()):
    store = InMemoryStore()
    graph = StateGraph(State, context_schema=User).add_node("look_up", look_up, cache_policy=policy)
    app = graph.add_edge(START, "look_up").compile(cache=InMemoryCache(), checkpointer=InMemorySaver(), store=store)

    def asks(name):
        thread = {"configurable": {"thread_id": str(uuid4())}}
        return app.invoke({"question": "What is my PIN?"}, thread, context=User(name))["answer"]

    store.put(("notes", "ann"), "pin", {"text": "4711"})
    store.put(("notes", "bob"), "pin", {"text": "1234"})
    told = [asks("ann"), asks("bob")]
    store.put(("notes", "ann"), "pin", {"text": "5813"})
    print("Python, with a cache:" if policy else "Python:", *told, asks("ann"))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import { Annotation, InMemoryStore, MemorySaver, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ question: Annotation(), answer: Annotation() });
for (const cachePolicy of [undefined, true]) {
  const store = new InMemoryStore();
  const lookUp = async (_, { store, context }) => ({
    answer: (await store.get(["notes", context.name], "pin")).value.text,
  });
  const app = new StateGraph(State, Annotation.Root({ name: Annotation() }))
    .addNode("lookUp", lookUp, { cachePolicy })
    .addEdge(START, "lookUp")
    .compile({ cache: new InMemoryCache(), checkpointer: new MemorySaver(), store });
  const asks = async (name) => {
    const options = { configurable: { thread_id: crypto.randomUUID() }, context: { name } };
    return (await app.invoke({ question: "What is my PIN?" }, options)).answer;
  };
  await store.put(["notes", "ann"], "pin", { text: "4711" });
  await store.put(["notes", "bob"], "pin", { text: "1234" });
  const told = [await asks("ann"), await asks("bob")];
  await store.put(["notes", "ann"], "pin", { text: "5813" });
  console.log(cachePolicy ? "JavaScript, with a cache:" : "JavaScript:", ...told, await asks("ann"));
}
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py && node program.mjs)
echo "langgraph==1.2.24, @langchain/langgraph@1.7.3:" $found
[ "$found" = "Python: 4711 1234 5813
Python, with a cache: 4711 4711 4711
JavaScript: 4711 1234 5813
JavaScript, with a cache: 4711 4711 4711" ]
