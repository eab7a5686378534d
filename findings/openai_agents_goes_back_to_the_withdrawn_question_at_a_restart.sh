#!/usr/bin/env bash
# openai-agents 0.24.0: a session with branches, opened again, shows the branch that its user had left.
#
# Guess: An `AdvancedSQLiteSession` in a file is after a restart what it was before: if the second question was asked
# anew, on a branch, the model is sent the new one.
# Seen: Which branch is the current one lives in the process. Opened again, the session is on "main", with the question
# that was withdrawn and all that followed it, and what is said next is added there. A plain `SQLiteSession` on the same
# file shows the messages of both branches in a row.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai-agents==0.24.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio
import sys

from agents import SQLiteSession
from agents.extensions.memory import AdvancedSQLiteSession


def opened():
    return AdvancedSQLiteSession(session_id="ann", db_path=sys.argv[1], create_tables=True)


async def say(session, *texts):
    for number, text in enumerate(texts):
        await session.add_items([{"role": "assistant" if number % 2 else "user", "content": text}])


async def show(name, session):
    print(f"{name}:", *[item["content"] for item in await session.get_items()])


async def main():
    session = opened()
    await say(session, "Q1", "A1", "Q2", "A2", "Q3", "A3")
    await session.create_branch_from_turn(2)
    await say(session, "New-Q2", "New-A2")
    await show("went on", session)
    await show("restarted", opened())
    await show("plain", SQLiteSession("ann", sys.argv[1]))


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/sessions.db" 2> /dev/null)
echo "openai-agents==0.24.0:" $found
[ "$found" = "went on: Q1 A1 New-Q2 New-A2
restarted: Q1 A1 Q2 A2 Q3 A3
plain: Q1 A1 Q2 A2 Q3 A3 New-Q2 New-A2" ]
