#!/usr/bin/env bash
# langgraph 0.2.76 and 1.2.24 with langgraph-checkpoint-sqlite 2.0.11 and 3.1.2: after the update, a thread that waits
# for an answer has no open question, and once it is answered, the step beside it runs a second time.
#
# Guess: 1.x reads the checkpoints of 0.x and goes on with a thread that `interrupt` stopped: the open question is in
# its state, and a step that ran in parallel counts as done. If it cannot, it says so.
# Seen: The state comes back, but the results of the last round are stored under the number of their step, and 0.2
# numbered steps differently. So there is no open question, "paid" is missing, and `pay` is due again; the answer to the
# question triggers the second payment. No warning is logged. A thread that 0.3.34 left goes on as expected.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
install() {
    python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check "langgraph==$1" "langgraph-checkpoint==$2" \
        "langgraph-checkpoint-sqlite==$3"
}
install 0.2.76 2.1.2 2.0.11
install 0.3.34 2.1.2 2.0.11
install 1.2.24 4.3.2 3.1.2
cat > program.py <<'PROGRAM'
import operator
import sqlite3
import sys
from importlib.metadata import version
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

payments = 0


class State(TypedDict):
    done: Annotated[list, operator.add]


def pay(state):
    global payments
    payments += 1
    return {"done": ["paid"]}


def mail(state):
    return {"done": [f"mailed: {interrupt('Which text?')}"]}


path, step = sys.argv[1:]
saver = SqliteSaver(sqlite3.connect(path, check_same_thread=False))
graph = StateGraph(State).add_node("pay", pay).add_node("mail", mail).add_edge(START, "pay").add_edge(START, "mail")
app = graph.compile(checkpointer=saver)
ann = {"configurable": {"thread_id": "ann"}}
if step == "start":
    app.invoke({"done": []}, ann)
state = app.get_state(ann)
asked = [question.value for task in state.tasks for question in task.interrupts]
print(version("langgraph"), f"{step}: next {' '.join(state.next)}, asked {asked}, done {state.values['done']}", end="")
if step == "resume":
    done = app.invoke(Command(resume="Hi!"), ann)["done"]
    print(f", then {done}", end="")
print(f", payments {payments}")
PROGRAM
found=$(
    for version in 0.2.76 0.3.34; do
        "$version/bin/python" -W ignore program.py "$version.db" start
        1.2.24/bin/python -W ignore program.py "$version.db" resume
    done
)
echo "$found"
[ "$found" = "0.2.76 start: next mail, asked ['Which text?'], done ['paid'], payments 1
1.2.24 resume: next pay mail, asked [], done [], then ['mailed: Hi!', 'paid'], payments 1
0.3.34 start: next mail, asked ['Which text?'], done ['paid'], payments 1
1.2.24 resume: next mail, asked ['Which text?'], done ['paid'], then ['mailed: Hi!', 'paid'], payments 0" ]
