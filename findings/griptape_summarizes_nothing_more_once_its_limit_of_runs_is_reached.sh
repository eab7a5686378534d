#!/usr/bin/env bash
# griptape 1.13.0: once a `SummaryConversationMemory` has its most runs, it summarizes nothing more, and its file never
# has the summary.
#
# Guess: With `max_runs=4` and `offset=2`, the model is shown at each turn a summary of all that left and the newest two
# runs; opened again from its file, the memory shows the same.
# Seen: The end of the summary is a place in the list of runs, and stays as it is when the oldest run leaves the list.
# From the sixth turn on nothing is summarized, and the model is shown the summary of three runs and the last run alone:
# at turn 8, questions 4 to 6 and their answers are nowhere. The file has no summary, so after a restart the first four
# runs are gone; without `max_runs`, everything is sent in full again. (Pull request 1924 of griptape, open since 2025,
# is for the file.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check griptape==1.13.0
cat > "$folder/program.py" <<'PROGRAM'
import logging
import re
import sys

from attrs import Factory, define, field
from griptape.common import Message
from griptape.drivers.memory.conversation.local import LocalConversationMemoryDriver
from griptape.drivers.prompt.base_prompt_driver import BasePromptDriver
from griptape.memory.structure import SummaryConversationMemory
from griptape.structures import Agent
from griptape.tokenizers import SimpleTokenizer

logging.getLogger("griptape").setLevel(logging.ERROR)


@define
class Model(BasePromptDriver):
    """Answers Q1 with A1, and makes a summary of the names of the questions that it is told to summarize."""

    model: str = "m"
    tokenizer: SimpleTokenizer = field(
        default=Factory(lambda: SimpleTokenizer(characters_per_token=4, max_input_tokens=9999, max_output_tokens=99))
    )
    shown: list = field(factory=list)

    def try_run(self, prompt_stack):
        texts = [message.to_text() for message in prompt_stack.messages]
        if "Human:" in texts[-1]:
            return Message("+".join(re.findall(r"\bQ\d", texts[-1])), role="assistant")
        self.shown = texts
        return Message("A" + texts[-1][1:], role="assistant")

    def try_stream(self, prompt_stack):
        raise NotImplementedError


def opened(model, most):
    driver = LocalConversationMemoryDriver(persist_file=f"{sys.argv[1]}/{most}.json")
    memory = SummaryConversationMemory(
        prompt_driver=model, offset=2, max_runs=most, conversation_memory_driver=driver
    )
    return Agent(prompt_driver=model, conversation_memory=memory)


for most in (None, 4):
    agent = opened(Model(), most)
    for number in range(1, 9):
        agent.run(f"Q{number}")
    again = opened(Model(), most)
    again.run("Q9")
    for name, one in (("turn 8", agent), ("restarted", again)):
        print(f"max_runs {most}, {name}:", *(text.rpartition(": ")[2].strip() for text in one.prompt_driver.shown))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder" 2> /dev/null)
echo "griptape==1.13.0:" $found
[ "$found" = "max_runs None, turn 8: Q1+Q2+Q3+Q4+Q5 Q6 A6 Q7 A7 Q8
max_runs None, restarted: Q1 A1 Q2 A2 Q3 A3 Q4 A4 Q5 A5 Q6 A6 Q7 A7 Q8 A8 Q9
max_runs 4, turn 8: Q1+Q2+Q3 Q7 A7 Q8
max_runs 4, restarted: Q5 A5 Q6 A6 Q7 A7 Q8 A8 Q9" ]
