#!/usr/bin/env bash
# langchain 1.5.2: `SummarizationMiddleware` drops messages that it shows to no model, and its own last summary with them.
#
# Guess: what leaves the conversation has been summarized; the next summary goes on from the last one.
# Seen: The model that summarizes gets the newest 4,000 tokens of what leaves (`trim_tokens_to_summarize`), and the rest
# is removed all the same. With a trigger of 10,000 tokens, the first half of what leaves is never read. The summary so
# far is the oldest message of the next round, so it is left out of the next one, which says nothing of all before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain==1.5.2 langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

prompts = []


class Model(GenericFakeChatModel):
    def _generate(self, messages, *more, **options):
        prompts.append(str(messages[0].content))
        return super()._generate(messages, *more, **options)


model = Model(messages=iter(AIMessage(f"SUMMARY {number}") for number in range(9)))
middleware = SummarizationMiddleware(model=model, trigger=("tokens", 10_000))
said = [HumanMessage("My name is Anna, and I am allergic to nuts.")]
while len(prompts) < 2:
    said += [AIMessage("I see. " * 20), HumanMessage("There is more to tell. " * 20)]
    if changed := middleware.before_model({"messages": said}, None):
        said = changed["messages"][1:]
print([("allergic" in prompt, "SUMMARY 0" in prompt) for prompt in prompts], said[0].content.split("\n\n")[1])
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "langchain==1.5.2: $found"
[ "$found" = "[(False, False), (False, False)] SUMMARY 1" ]
