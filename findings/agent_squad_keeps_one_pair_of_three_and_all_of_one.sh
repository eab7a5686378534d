#!/usr/bin/env bash
# agent-squad 1.1.4: of three pairs of messages it keeps one, of one pair all; and after an answer that the user
# stopped, the next question is not kept, but its answer is.
#
# Guess: `MAX_MESSAGE_PAIRS_PER_AGENT=3` keeps the last three questions with their answers. A talk that is kept has each
# answer behind its question.
# Seen: The number is taken for messages, and made even by leaving one out: 4 keeps two pairs, and 3 keeps one. 1
# becomes 0, and keeps all. And a message of the same role as the last one is not stored. If a stream is not read to its
# end, its question has no answer, so the next question is left out, and its answer stands behind the stopped one: Q2 is
# answered by A3 from then on. None of it is an error.
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


class Desk(Agent):
    """Answers "Q1" with "A1", in two pieces."""

    shown = ()

    def is_streaming_enabled(self):
        return True

    async def process_request(self, input_text, user_id, session_id, chat_history, additional_params=None):
        self.shown = [message.content[0]["text"] for message in chat_history]
        answer = input_text.replace("Q", "A")

        async def stream():
            yield AgentStreamResponse(text="Well, ")
            message = ConversationMessage(role="assistant", content=[{"text": answer}])
            yield AgentStreamResponse(text=answer, final_message=message)

        return stream()


class OneDesk(Classifier):
    def set_agents(self, agents):
        self.desk = next(iter(agents.values()))

    async def process_request(self, input_text, chat_history):
        return ClassifierResult(selected_agent=self.desk, confidence=1.0)


async def main():
    for pairs, stopped in ((4, ()), (3, ()), (2, ()), (1, ()), (100, ("Q2",))):
        desk = Desk(AgentOptions(name="desk", description="Answers."))
        squad = AgentSquad(options=AgentSquadConfig(MAX_MESSAGE_PAIRS_PER_AGENT=pairs), classifier=OneDesk())
        squad.add_agent(desk)
        for question in ("Q1", "Q2", "Q3", "Q4", "Q5"):
            response = await squad.route_request(question, "ann", "talk", stream_response=True)
            async for _ in response.output:
                if question in stopped:
                    break
        print(f"{pairs} pairs{', Q2 stopped' * bool(stopped)}: at Q5 the agent is shown", *desk.shown)


asyncio.run(main())
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "agent-squad==1.1.4: $found"
[ "$found" = "4 pairs: at Q5 the agent is shown Q3 A3 Q4 A4
3 pairs: at Q5 the agent is shown Q4 A4
2 pairs: at Q5 the agent is shown Q4 A4
1 pairs: at Q5 the agent is shown Q1 A1 Q2 A2 Q3 A3 Q4 A4
100 pairs, Q2 stopped: at Q5 the agent is shown Q1 A1 Q2 A3 Q4 A4" ]
