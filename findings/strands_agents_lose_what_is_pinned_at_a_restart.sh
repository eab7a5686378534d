#!/usr/bin/env bash
# strands-agents 1.62.0: after a restart, messages that left the window are back, and the pinned ones are gone.
#
# Guess: An agent with a `SlidingWindowConversationManager` that pins the first two messages, opened again from its
# session, sends its model what it would have sent without the restart.
# Seen: Only the number of removed messages is stored, and as many are left out from the beginning, where the pinned
# ones are. So the model gets a question and an answer that had been removed, in the place of the name that was pinned.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check strands-agents==1.62.0
cat > "$folder/program.py" <<'PROGRAM'
import sys

from strands import Agent
from strands.agent.conversation_manager import SlidingWindowConversationManager
from strands.models import Model
from strands.session import FileSessionManager


class Echo(Model):
    """Answers "A" to "Q" and notes what it was sent last."""

    sent = []

    def get_config(self):
        return {}

    def update_config(self, **_):
        pass

    async def structured_output(self, *_, **__):
        yield {}

    async def stream(self, messages, *_, **__):
        self.sent[:] = [message["content"][0]["text"] for message in messages]
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": self.sent[-1].replace("Q", "A")}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def opened():
    session = FileSessionManager(session_id="one", storage_dir=sys.argv[1])
    window = SlidingWindowConversationManager(window_size=4, pin_first=2)
    return Agent(Echo(), agent_id="one", session_manager=session, conversation_manager=window, callback_handler=None)


agent = opened()
for text in ("Q1: my name is Ann.", "Q2", "Q3", "Q4", "Q5"):
    agent(text)
for name, used in (("went on", agent), ("restarted", opened())):
    print(f"{name}:", *[text[:2] for text in [message["content"][0]["text"] for message in used.messages]])
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/sessions" 2> /dev/null)
echo "strands-agents==1.62.0:" $found
[ "$found" = "went on: Q1 A1 Q4 A4 Q5 A5
restarted: Q3 A3 Q4 A4 Q5 A5" ]
