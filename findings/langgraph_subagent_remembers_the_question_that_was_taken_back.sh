#!/usr/bin/env bash
# langgraph 1.2.24: if a new question starts from an earlier checkpoint, a subgraph with its own memory
# (`checkpointer=True`) still has the question that was taken back, and puts it into the new branch.
#
# Guess: A graph that goes on from the checkpoint of the first turn has forgotten the second turn, and so have its
# subgraphs. They do forget it if a turn is replayed from a checkpoint, or if `update_state` changes its question.
# Seen: With new input, as when a user takes a question back and asks another, the subgraph goes on from its newest
# state. The model is shown the PIN, although the new branch began with a state without it. With the subgraph's answer,
# the PIN comes into the new branch, behind the new question. A subgraph without its own memory does none of this.
# (Issue 7593 of langgraph; pull request 8197, which was to fix it, was closed.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph==1.2.24 langgraph-checkpoint==4.3.2 \
    langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

shown = []


def answer(state):
    shown.append(" ".join(message.content for message in state["messages"]))
    return {"messages": [AIMessage("Yes.")]}


for memory in (None, True):
    agent = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile(checkpointer=memory)
    graph = StateGraph(MessagesState).add_node("agent", agent).add_edge(START, "agent")
    app = graph.compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "ann"}}
    app.invoke({"messages": [("user", "I am Ann.")]}, thread)
    app.invoke({"messages": [("user", "My PIN is 4711.")]}, thread)
    states = {len(state.values["messages"]): state for state in app.get_state_history(thread)}
    told = app.invoke({"messages": [("user", "I like figs.")]}, states[2].config)
    print("Asked anew:", shown[-1])
    print("New branch:", *(message.content for message in told["messages"]))
    app.invoke(None, states[3].config)
    print("Replayed:", shown[-1])
    question = states[3].values["messages"][-1].model_copy(update={"content": "I eat figs."})
    app.invoke(None, app.update_state(states[3].config, {"messages": [question]}))
    print("Changed:", shown[-1])
PROGRAM
cd "$folder"
found=$(venv/bin/python -W ignore program.py)
echo "langgraph==1.2.24:" $found
[ "$found" = "Asked anew: I am Ann. Yes. I like figs.
New branch: I am Ann. Yes. I like figs. Yes.
Replayed: I am Ann. Yes. My PIN is 4711.
Changed: I am Ann. Yes. I eat figs.
Asked anew: I am Ann. Yes. My PIN is 4711. Yes. I like figs.
New branch: I am Ann. Yes. I like figs. My PIN is 4711. Yes. Yes.
Replayed: I am Ann. Yes. My PIN is 4711.
Changed: I am Ann. Yes. I eat figs." ]
