#!/usr/bin/env bash
# langchain 1.5.2: `SummarizationMiddleware` asks its model before every turn once what it keeps is above the trigger.
#
# Guess: a summary brings the conversation below the trigger, so the next one is due only after as many new tokens; a
# trigger that the kept messages alone exceed is refused, or waits until more than a turn can be summarized.
# Seen: with a trigger of 1,000 tokens and the default, which keeps 20 messages, of 60 tokens each, nothing is refused.
# From the first summary on there is a call of the model before each turn, for the one exchange that leaves.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain==1.5.2 langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

model = GenericFakeChatModel(messages=iter(AIMessage(f"SUMMARY {number}") for number in range(99)))
middleware = SummarizationMiddleware(model=model, trigger=("tokens", 1_000))
said, asked_in = [], []
for turn in range(1, 41):
    said += [HumanMessage("There is more to tell. " * 10)]
    if changed := middleware.before_model({"messages": said}, None):
        asked_in.append(turn)
        said = changed["messages"][1:]
    said += [AIMessage("There is more to say. " * 10)]
first = asked_in[0]
print(first, len(asked_in), asked_in == list(range(first, 41)), len(said))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "langchain==1.5.2: $found"
[ "$found" = "11 30 True 22" ]
