#!/usr/bin/env bash
# apache-burr 0.42.0: after a restart, a tuple in the state of a conversation is the text that `print` shows of it.
#
# Guess: An application that is built again from its `SQLitePersister` goes on with the state that it had: a tuple stays
# one, or is a list, as JSON has it; what cannot be stored is refused when it is saved.
# Seen: `("Ann", "Bob")` comes back as the text "('Ann', 'Bob')", a set and a date as texts, too, and none of them is
# refused. So "An" is one of the people now, and there are 14 of them; a loop goes over letters. Lists and dicts within
# the same state come back.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check apache-burr==0.42.0
cat > "$folder/program.py" <<'PROGRAM'
import datetime
import sys

from burr.core import ApplicationBuilder, action
from burr.core.persistence import SQLitePersister


@action(reads=["people"], writes=["said"])
def answer(state):
    return state.update(said=[{"role": "assistant", "content": "Hello."}])


store = SQLitePersister(f"{sys.argv[1]}/states.db")
store.initialize()
first = {"people": ("Ann", "Bob"), "likes": {"figs"}, "day": datetime.date(2026, 3, 4), "said": []}
for _ in range(2):
    builder = ApplicationBuilder().with_actions(answer).with_transitions(("answer", "answer"))
    builder = builder.with_identifiers(app_id="talk").with_state_persister(store)
    talk = builder.initialize_from(
        store, resume_at_next_action=True, default_state=first, default_entrypoint="answer"
    ).build()
    state = talk.state
    print(len(state["people"]), "people, An among them:", "An" in state["people"], end="; ")
    print(*(type(state[name]).__name__ for name in first))
    talk.step()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" 2> /dev/null | sed '/^$/d')
echo "apache-burr==0.42.0:" $found
[ "$found" = "2 people, An among them: False; tuple set date list
14 people, An among them: True; str str str list" ]
