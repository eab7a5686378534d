#!/usr/bin/env bash
# @google/adk 2.0.0 (npm): its memory finds nothing by a word of Chinese, by a number, or by a word with an umlaut.
#
# Guess: `InMemoryMemoryService` of the two languages is one thing: what Python finds in a session that was added to the
# memory, JavaScript finds.
# Seen: In JavaScript, a word is a run of the letters A to Z. Asked for a city in Chinese, by the whole sentence or by a
# part of it, for the number of a flat, or for Köln, it finds nothing, as without a memory; Python finds each of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check google-adk==2.13.0
cd "$folder"
npm install --silent --no-fund --no-audit @google/adk@2.0.0 > /dev/null
cat > talk.json <<'TALK'
{"said": ["我住在杭州。", "Her flat is 4711.", "Ich wohne in Köln.", "I like figs."],
 "asked": ["杭州", "我住在杭州", "4711", "Köln", "figs"]}
TALK
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { createEvent, InMemoryMemoryService, InMemorySessionService } from "@google/adk";

const talk = JSON.parse(readFileSync("talk.json", "utf8"));
const ann = { appName: "app", userId: "ann" };
const sessions = new InMemorySessionService();
const session = await sessions.createSession({ ...ann, sessionId: "one" });
for (const text of talk.said) {
  const event = createEvent({ author: "user", content: { role: "user", parts: [{ text }] } });
  await sessions.appendEvent({ session, event });
}
const memory = new InMemoryMemoryService();
await memory.addSessionToMemory(await sessions.getSession({ ...ann, sessionId: "one" }));
const found = [];
for (const query of talk.asked) found.push((await memory.searchMemory({ ...ann, query })).memories.length);
console.log("JavaScript", ...found);
process.exit();
PROGRAM
cat > program.py <<'PROGRAM'
import asyncio
import json

from google.adk.events import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.sessions import InMemorySessionService
from google.genai import types


async def main():
    talk = json.load(open("talk.json", encoding="utf-8"))
    ann = {"app_name": "app", "user_id": "ann"}
    sessions = InMemorySessionService()
    session = await sessions.create_session(**ann, session_id="one")
    for text in talk["said"]:
        content = types.Content(role="user", parts=[types.Part(text=text)])
        await sessions.append_event(session, Event(author="user", content=content))
    memory = InMemoryMemoryService()
    await memory.add_session_to_memory(await sessions.get_session(**ann, session_id="one"))
    found = [len((await memory.search_memory(**ann, query=query)).memories) for query in talk["asked"]]
    print("Python", *found)


asyncio.run(main())
PROGRAM
found=$(node program.mjs 2> /dev/null; venv/bin/python -W ignore program.py 2> /dev/null)
echo "@google/adk@2.0.0:" $found
[ "$found" = "JavaScript 0 0 0 0 1
Python 1 1 1 1 1" ]
