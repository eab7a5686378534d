#!/usr/bin/env bash
# agent-framework-core 1.23.0: in the memory of its harness, all topics in Chinese are one topic, and who forgets one
# forgets all of them; C++ and C# are one, too.
#
# Guess: Each topic that the model names is a file of its own, in whatever language; `delete_memory_topic` deletes that
# topic. A name that suits no file gets another name of its own, as ids of users and sessions do here.
# Seen: The file is named by the letters a to z and the digits of the topic, and "memory-topic" if there are none. So
# three topics in Chinese are one file under the name and summary of the first, and MEMORY.md, which the model reads
# each turn, shows neither the address nor the cat. Deleting the topic of pets deletes the allergy, and says that pets
# are deleted. And no question in Chinese loads a topic file, as a whole sentence counts as one word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agent-framework-core==1.23.0
cd "$folder"
cat > program.py <<'PROGRAM'
import asyncio

from agent_framework import AgentSession, MemoryContextProvider, MemoryFileStore, Message, SessionContext

talks = {
    "English": ["Food", "No nuts.", "Address", "She lives in Oslo.", "Pets", "A cat.", "What is her address?"],
    "Chinese": ["饮食", "不吃坚果。", "住址", "住在杭州。", "宠物", "有一只猫。", "她的住址是什么？"],
    "Code": ["Python", "Version 3.14.", "C++", "Only C++26.", "C#", "With .NET 11.", "Which C# does she use?"],
}


async def main():
    for language, (*pairs, question) in talks.items():
        memory = MemoryContextProvider(store=MemoryFileStore("notes", owner_state_key="user"))
        session = AgentSession(session_id="one")
        session.state["user"] = language

        async def turn(words):
            context = SessionContext(session_id="one", input_messages=[Message(role="user", contents=[words])])
            await memory.before_run(agent=None, session=session, context=context, state={})
            shown = context.context_messages["memory"][-1].text.splitlines()
            return {tool.name: tool for tool in context.tools}, shown

        tools, _ = await turn(question)
        for topic, note in zip(pairs[::2], pairs[1::2]):
            await tools["write_memory"].invoke(arguments={"topic": topic, "memory": note})
        _, shown = await turn(question)
        print(f"{language}:", *(line for line in shown if line.startswith("- [")))
        print(" loaded:", *(line for line in shown if line.startswith("### topics/")))
        result = await tools["delete_memory_topic"].invoke(arguments={"topic": pairs[4]})
        _, shown = await turn(question)
        print("", result[0].text, *(line for line in shown if line.startswith("- [")))


asyncio.run(main())
PROGRAM
topics="- [Address](topics/address.md): She lives in Oslo. - [Food](topics/food.md): No nuts."
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "agent-framework-core==1.23.0: $found"
[ "$found" = "English: $topics - [Pets](topics/pets.md): A cat.
 loaded: ### topics/address.md
 Deleted memory topic 'Pets'. $topics
Chinese: - [饮食](topics/memory-topic.md): 不吃坚果。
 loaded:
 Deleted memory topic '宠物'.
Code: - [C++](topics/c.md): Only C++26. - [Python](topics/python.md): Version 3.14.
 loaded:
 Deleted memory topic 'C#'. - [Python](topics/python.md): Version 3.14." ]
