#!/usr/bin/env bash
# deepagents 0.7.32: in a thread that has begun, the model is shown the memory of the first turn, also if the file was
# changed or deleted since.
#
# Guess: With `MemoryMiddleware`, the model is shown the memory files as they are at each turn: a PIN that was changed
# is the new one in all threads, and one that was deleted is shown no more.
# Seen: The files are read at the first turn of a thread, and their text becomes part of its checkpoints. Each later
# turn of that thread gets this text, after a restart, too; so a note that the agent makes itself is not shown in the
# thread in which it made it. A deleted PIN goes on in all threads that have begun, each with the one of its first turn;
# a new thread shows the file. (Issue 6122 of deepagents, open.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deepagents==0.7.32 langchain==1.5.2 langgraph==1.2.24
cat > "$folder/program.py" <<'PROGRAM'
import sys
from pathlib import Path

from deepagents.backends.filesystem import FilesystemBackend
from deepagents.middleware.memory import MemoryMiddleware
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

folder = Path(sys.argv[1])
note = folder / "AGENTS.md"
saver = InMemorySaver()
sent = []


class Model(GenericFakeChatModel):
    """Keeps what it is sent."""

    def _generate(self, messages, *args, **options):
        sent.append(str(messages[0].content))
        return super()._generate(messages, *args, **options)


def shown(thread):
    """The PINs that the model is shown by an agent that was made anew, at the next turn of a thread."""
    agent = create_agent(
        Model(messages=iter([AIMessage("Yes.")])),
        middleware=[
            MemoryMiddleware(
                backend=FilesystemBackend(root_dir=folder, virtual_mode=True), sources=["/AGENTS.md"]
            )
        ],
        checkpointer=saver,
    )
    agent.invoke({"messages": [("user", "Hello?")]}, {"configurable": {"thread_id": thread}})
    return [pin for pin in ("4711", "0815") if pin in sent[-1]]


note.write_text("Ann's PIN is 4711.")
print("first:", *(f"{thread} {shown(thread)}" for thread in ("one",)))
note.write_text("Ann's PIN is 0815.")
print("changed:", *(f"{thread} {shown(thread)}" for thread in ("one", "two")))
note.unlink()
print("deleted:", *(f"{thread} {shown(thread)}" for thread in ("one", "two", "three")))
PROGRAM
mkdir "$folder/memory"
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/memory" 2> /dev/null)
echo "deepagents==0.7.32:" $found
[ "$found" = "first: one ['4711']
changed: one ['4711'] two ['0815']
deleted: one ['4711'] two ['0815'] three []" ]
