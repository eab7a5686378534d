#!/usr/bin/env bash
# google-adk 2.13.0: a turn that its user took back by a rewind goes into the memory, and is shown to the model in the
# next session.
#
# Guess: After `rewind_async` the turn is no part of the talk any more: it is not sent to the model, and a memory that
# the session is added to afterwards does not have it.
# Seen: The runner leaves the turn out of its requests by a marker behind it, and the turn stays in the session.
# `add_session_to_memory` does not look at the marker. So the PIN that was taken back is found by a question about it,
# and `preload_memory` puts it before the first question of a new session.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check google-adk==2.13.0
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.memory import InMemoryMemoryService
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai.types import Content, Part

asked = []


class Model(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        asked.append(str(llm_request.contents))
        yield LlmResponse(content=Content(role="model", parts=[Part(text="Yes.")]))


async def main():
    sessions, memory = InMemorySessionService(), InMemoryMemoryService()
    agent = LlmAgent(name="agent", model=Model(model="m"), tools=[preload_memory])
    runner = Runner(app=App(name="app", root_agent=agent), session_service=sessions, memory_service=memory)

    async def say(session, text):
        message = Content(role="user", parts=[Part(text=text)])
        async for event in runner.run_async(user_id="ann", session_id=session, new_message=message):
            turn = event.invocation_id
        print(session, "session,", text, "PIN shown:", "4711" in asked[-1])
        return turn

    for session in ("first", "second"):
        await sessions.create_session(app_name="app", user_id="ann", session_id=session)
    await say("first", "I like figs.")
    turn = await say("first", "My PIN is 4711.")
    await runner.rewind_async(user_id="ann", session_id="first", rewind_before_invocation_id=turn)
    await say("first", "Bye.")
    await memory.add_session_to_memory(
        await sessions.get_session(app_name="app", user_id="ann", session_id="first")
    )
    await say("second", "What is my PIN?")


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "google-adk==2.13.0:" $found
[ "$found" = "first session, I like figs. PIN shown: False
first session, My PIN is 4711. PIN shown: True
first session, Bye. PIN shown: False
second session, What is my PIN? PIN shown: True" ]
