#!/usr/bin/env bash
# camel-ai 0.2.90: a talk that is saved before each restart and loaded after it doubles each time.
#
# Guess: `save_memory(path)` writes the talk to the file, and `load_memory_from_path(path)` of a new agent reads it: the
# model is shown each message once, in order, however often the program was restarted.
# Seen: A save adds the whole talk to what is in the file already, and a load adds the file's system messages to the new
# agent's own. After three restarts the model is sent the first question four times, then its answer four times, and so
# on, with eight system messages in between. Two saves in a row double it without a restart.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check camel-ai==0.2.90 "mcp<2"
cat > "$folder/program.py" <<'PROGRAM'
import sys

from camel.agents import ChatAgent
from camel.models import ModelFactory
from camel.types import ModelPlatformType, ModelType


class Agent(ChatAgent):
    """Keeps what its model is sent."""

    def _get_model_response(self, openai_messages, *args, **options):
        self.sent = openai_messages
        return super()._get_model_response(openai_messages, *args, **options)


path = f"{sys.argv[1]}/talk.json"
for run in range(4):
    model = ModelFactory.create(model_platform=ModelPlatformType.OPENAI, model_type=ModelType.STUB)
    agent = Agent("Be kind.", model=model)
    if run:
        agent.load_memory_from_path(path)
    agent.step(f"Q{run}")
    agent.save_memory(path)
    short = {"Be kind.": "S", "Lorem Ipsum": "A"}
    print(*(short.get(message["content"], message["content"]) for message in agent.sent))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" 2> /dev/null)
echo "camel-ai==0.2.90:" $found
[ "$found" = "S Q0
S S Q0 A Q1
S S S Q0 Q0 A A S Q1 A Q2
S S S S S Q0 Q0 Q0 Q0 A A A A S S Q1 Q1 A A S Q2 A Q3" ]
