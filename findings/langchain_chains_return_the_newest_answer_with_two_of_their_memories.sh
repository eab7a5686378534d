#!/usr/bin/env bash
# langchain-classic 1.0.8: the history in a chain's result includes the new answer with two memories, never with a third,
# and with a fourth until its first summary.
#
# Guess: A chain's result has the history that went into the prompt, so it ends before the question, with any memory; or
# it has the new exchange, with any memory.
# Seen: The history in the result is the list that the memory loaded. `ConversationBufferMemory` and
# `ConversationTokenBufferMemory` load their own list, to which the save then adds the exchange. A window loads a copy.
# `ConversationSummaryBufferMemory` loads its own list until there is a summary, then a copy. A page that shows
# `result["history"]` therefore lacks the newest answer once somebody changes the memory, or once the talk is long.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-classic==1.0.8 langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
from langchain_classic import memory
from langchain_classic.chains import ConversationChain
from langchain_core.language_models import FakeListLLM


class Model(FakeListLLM):
    def get_num_tokens(self, text):
        return len(text.split())


options = {"Buffer": {}, "BufferWindow": {"k": 5}, "TokenBuffer": {"max_token_limit": 99}}
for name, given in (options | {"SummaryBuffer": {"max_token_limit": 18}}).items():
    model = Model(responses=[f"reply number {n}" for n in range(30)])
    given |= {"llm": model} if "max_token_limit" in given else {}
    chain = ConversationChain(llm=model, memory=getattr(memory, f"Conversation{name}Memory")(return_messages=True, **given))
    seen = []
    for n in range(5):
        result = chain.invoke({"input": f"question {n}"})
        seen.append(result["response"] in [one.content for one in result["history"]])
    print(name, *("yes" if one else "no" for one in seen))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langchain-classic==1.0.8, is the new answer in the history of the result?"
echo "$found"
[ "$found" = "Buffer yes yes yes yes yes
BufferWindow no no no no no
TokenBuffer yes yes yes yes yes
SummaryBuffer yes yes yes no no" ]
