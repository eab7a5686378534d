#!/usr/bin/env bash
# autogen-agentchat 0.7.5 with autogen-ext 0.7.5: where the first message alone is over the limit, the model is sent
# nothing of the talk, not even the question.
#
# Guess: A `TokenLimitedChatCompletionContext`, which keeps "recent messages", drops the oldest: with a limit of 60
# words and messages of 10, the model reads the newest six, also if the talk began with a page of 70 words.
# Seen: It drops the message in the middle, until the rest fits. So at turn 8, the model reads three messages from the
# beginning and three from the end. The first message is dropped last of all: if it does not fit, each other one goes
# before it, the newest question too, and the agent answers to its system prompt alone, at every turn. (That the middle
# goes, which can part a call from its result, is known: issues 6789 and 7955.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check autogen-agentchat==0.7.5 autogen-ext==0.7.5
cat > "$folder/program.py" <<'PROGRAM'
import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core.model_context import TokenLimitedChatCompletionContext
from autogen_ext.models.replay import ReplayChatCompletionClient


class Model(ReplayChatCompletionClient):
    """Answers from a list, counts words as tokens, and keeps what it was sent."""

    async def create(self, messages, **options):
        self.sent = [message.content.split()[0] for message in messages]
        return await super().create(messages, **options)


async def talk(words_of_first):
    model = Model([f"A{number} " + "word " * 9 for number in range(1, 9)])
    context = TokenLimitedChatCompletionContext(model, token_limit=60)
    agent = AssistantAgent("agent", model, model_context=context, system_message="System.")
    for number in range(1, 9):
        await agent.run(task=f"Q{number} " + "word " * (words_of_first - 1 if number == 1 else 9))
        if number in (3, 8):
            print(f"first of {words_of_first} words, turn {number}:", *model.sent)


asyncio.run(talk(10))
asyncio.run(talk(70))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "autogen-agentchat==0.7.5:" $found
[ "$found" = "first of 10 words, turn 3: System. Q1 A1 Q2 A2 Q3
first of 10 words, turn 8: System. Q1 A1 Q2 Q7 A7 Q8
first of 70 words, turn 3: System.
first of 70 words, turn 8: System." ]
