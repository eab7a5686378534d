#!/usr/bin/env bash
# agent_squad 1.1.4: after the user stopped an answer, the next question is not kept, and its answer stands behind the
# stopped question.
#
# Guess: If the user stops the answer to the second question, the history has that question, with or without the part of
# the answer that was read, and then the third question with its answer.
# Seen: The question is kept before its answer streams, and the answer after that, so the stopped question is the last
# message. A message of the user behind a message of the user is then not saved, which only the debug log says: the
# third question is lost, and its answer is kept as the one to the second. At the fourth, the model reads that the boat
# is called Otto. And `MAX_MESSAGE_PAIRS_PER_AGENT` counts messages: 4 pairs are two, and 1 pair is no limit at all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check agent-squad==1.1.4
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

from agent_squad.agents import Agent, AgentOptions, AgentStreamResponse
from agent_squad.classifiers import Classifier, ClassifierResult
from agent_squad.orchestrator import AgentSquad
from agent_squad.types import AgentSquadConfig, ConversationMessage

ANSWERS = {"Who are you?": "A helper.", "How is the boat called?": "Gerda.", "And the cat?": "Otto.", "So?": "Well."}


class Model(Agent):
    """Streams an answer in two pieces, and keeps the history that it was shown."""

    def is_streaming_enabled(self):
        return True

    async def process_request(self, input_text, user_id, session_id, chat_history, additional_params=None):
        self.shown = [message.content[0]["text"] for message in chat_history]

        async def stream():
            message = ConversationMessage(role="assistant", content=[{"text": ANSWERS.get(input_text, "A.")}])
            yield AgentStreamResponse(text=message.content[0]["text"])
            yield AgentStreamResponse(final_message=message)

        return stream()


class OneAgent(Classifier):
    async def process_request(self, input_text, chat_history):
        return ClassifierResult(selected_agent=self.agents["model"], confidence=1.0)


def squad(**options):
    made = AgentSquad(classifier=OneAgent(), options=AgentSquadConfig(**options))
    made.add_agent(Model(AgentOptions(name="Model", description="Answers.")))
    return made


async def ask(made, question, stop=False):
    response = await made.route_request(question, "ann", "1", stream_response=True)
    async for _ in response.output:
        if stop:
            break


async def main():
    made = squad()
    for question in ANSWERS:
        await ask(made, question, stop="boat" in question)
    print("shown:", *made.agents["model"].shown)
    for pairs in (4, 1):
        made = squad(MAX_MESSAGE_PAIRS_PER_AGENT=pairs)
        for number in range(9):
            await ask(made, f"Q{number}")
        print(f"limit of {pairs}: {len(made.agents['model'].shown)} messages")


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "agent_squad==1.1.4:" $found
[ "$found" = "shown: Who are you? A helper. How is the boat called? Otto.
limit of 4: 4 messages
limit of 1: 16 messages" ]
