#!/usr/bin/env bash
# smolagents 1.26.0: an answer that is given because the steps are used up is shown to the model as an error later.
#
# Guess: With `reset=False`, the next turn knows what the agent answered in the last one, also if it used up its steps
# and `run` gave the answer that the model was asked for then.
# Seen: That answer is returned to the user, and no later request has it. In its place the model reads that there was an
# error, and to try a completely different approach. Asked what it has just said, it cannot know. An answer within the
# steps is in the next request.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check smolagents==1.26.0
cat > "$folder/program.py" <<'PROGRAM'
import json

from smolagents import ToolCallingAgent, tool
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, Model


def call(name, **arguments):
    function = ChatMessageToolCallFunction(name=name, arguments=arguments)
    return ChatMessage(role="assistant", tool_calls=[ChatMessageToolCall(id="1", type="function", function=function)])


class Script(Model):
    """Answers what it is told to, and keeps what it was asked."""

    def generate(self, messages, **_):
        self.asked = json.dumps([message.dict() for message in messages])
        return self.answers.pop(0)


@tool
def look(city: str) -> str:
    """Looks up the weather.

    Args:
        city: A city.
    """
    return "rain"


for steps in (2, 1):
    model = Script()
    agent = ToolCallingAgent(tools=[look], model=model, max_steps=steps, verbosity_level=-1)
    last = call("final_answer", answer="Take boots.") if steps == 2 else ChatMessage("assistant", "Take boots.")
    model.answers = [call("look", city="Oslo"), last]
    print(f"{steps} steps:", agent.run("What do I need in Oslo?"), end=" ")
    model.answers = [call("final_answer", answer="Boots.")]
    agent.run("What did you just say?", reset=False)
    print("shown:", [words in model.asked for words in ("rain", "Take boots.", "Reached max steps.")])
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "smolagents==1.26.0:" $found
[ "$found" = "2 steps: Take boots. shown: [True, True, False]
1 steps: Take boots. shown: [True, False, True]" ]
