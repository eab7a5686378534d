#!/usr/bin/env bash
# langgraph 1.2.24: of an answer whose stream the user stopped, `get_state` says that it is in the talk; at the next
# turn it is not.
#
# Guess: A program that stops reading a stream, as its user pressed "stop", can ask `get_state` what the thread holds
# now, and the next turn goes on from that.
# Seen: The node runs to its end in the background, and its answer is written beside the checkpoint, not into it.
# `get_state` shows it, with nothing left to do. The next question starts from the checkpoint and drops it: the model is
# sent two questions in a row, and the answer is gone from the thread.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph==1.2.24 langgraph-checkpoint==4.3.2
cat > "$folder/program.py" <<'PROGRAM'
import time

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

model = GenericFakeChatModel(messages=iter(AIMessage(f"Answer {n} of four words") for n in range(1, 4)))
asked = []


def answer(state):
    asked.append([message.content for message in state["messages"]])
    return {"messages": [model.invoke(state["messages"])]}


graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").compile(InMemorySaver())
thread = {"configurable": {"thread_id": "1"}}


def ask(question):
    return graph.stream({"messages": [("user", question)]}, thread, stream_mode="messages")


list(ask("Question 1"))
for part, _ in ask("Question 2"):
    break
for _ in range(500):
    if not graph.get_state(thread).next:
        break
    time.sleep(0.01)
print("state:", [message.content for message in graph.get_state(thread).values["messages"]])
list(ask("Question 3"))
print("asked:", asked[-1])
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "langgraph==1.2.24:" $found
[ "$found" = "state: ['Question 1', 'Answer 1 of four words', 'Question 2', 'Answer 2 of four words']
asked: ['Question 1', 'Answer 1 of four words', 'Question 2', 'Question 3']" ]
