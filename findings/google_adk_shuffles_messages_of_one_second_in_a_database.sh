#!/usr/bin/env bash
# google-adk 2.13.0: messages of one second come back from a database in the order of their random ids.
#
# Guess: A session gives its events back in the order in which they were appended, after a restart, too. Chats of an
# export, whose times are of a second or a minute, can be appended one by one with the times that they have.
# Seen: `InMemorySessionService` keeps the order. `DatabaseSessionService` sorts by time and, within one time, by id,
# which is random: eight messages of one second are shuffled, answers before their questions. In memory, the time is
# not ignored either: one message of an earlier time at the end hides all those that `after_timestamp` asks for.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    google-adk==2.13.0 sqlalchemy==2.1.9 aiosqlite==0.22.1 greenlet==3.5.6
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

from google.adk.events import Event
from google.adk.sessions import DatabaseSessionService, InMemorySessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types

session_of = {"app_name": "app", "user_id": "ann", "session_id": "one"}


async def append(service, session, text, time):
    content = types.Content(role="user", parts=[types.Part(text=text)])
    return (await service.append_event(session, Event(author="user", content=content, timestamp=time))).id


async def kept(service, **config):
    session = await service.get_session(**session_of, config=GetSessionConfig(**config))
    return session.events


async def main():
    services = {"memory": InMemorySessionService(), "database": DatabaseSessionService("sqlite+aiosqlite://")}
    for name, service in services.items():
        session = await service.create_session(**session_of)
        appended = [await append(service, session, f"message {number}", 1000.0) for number in range(8)]
        ids = [event.id for event in await kept(service)]
        print(f"{name}: as appended {ids == appended}, sorted by id {ids == sorted(ids)}", end=", ")
        await append(service, session, "a message from before", 900.0)
        print(f"since 1000: {len(await kept(service, after_timestamp=1000.0))} of 8")


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "google-adk==2.13.0: $found"
[ "$found" = "memory: as appended True, sorted by id False, since 1000: 0 of 8
database: as appended False, sorted by id True, since 1000: 8 of 8" ]
