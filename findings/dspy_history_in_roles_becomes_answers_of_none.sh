#!/usr/bin/env bash
# dspy 3.4.1: a `dspy.History` of messages with role and content is sent as answers "None", and the words are left
# out.
#
# Guess: A history in the form of OpenAI, as chats are stored, is rendered or refused, as a member that the signature
# does not name is no message of it; a question that was not answered yet stands without an answer.
# Seen: Each of them is taken. Of a message with role and content nothing is sent but an assistant's answer "None",
# also for what the user said. Two questions in a row get the answer "None" between them, and `ChainOfThought` sends
# "None" as the reasoning behind each answer of a history that has none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dspy==3.4.1
cat > "$folder/program.py" <<'PROGRAM'
import dspy
from dspy.utils import DummyLM


class Reply(dspy.Signature):
    question: str = dspy.InputField()
    history: dspy.History = dspy.InputField()
    answer: str = dspy.OutputField()


model = DummyLM([{"reasoning": "r", "answer": "a"}] * 3)
dspy.configure(lm=model)
roles = [{"role": "user", "content": "I am Ann."}, {"role": "assistant", "content": "Hello!"}]
for module, messages in (
    (dspy.Predict, roles),
    (dspy.Predict, [{"question": "I am Ann."}, {"question": "Who am I?", "answer": "Ann"}]),
    (dspy.ChainOfThought, [{"question": "Who am I?", "answer": "Ann"}]),
):
    module(Reply)(question="Sure?", history=dspy.History(messages=messages))
    sent = [message["content"].split("\n\nRespond")[0].split() for message in model.history[-1]["messages"][1:]]
    print([" ".join(word for word in words if word not in ("[[", "##", "]]", "completed")) for words in sent])
PROGRAM
export LITELLM_LOCAL_MODEL_COST_MAP=True DSPY_CACHEDIR="$folder/cache"
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "dspy==3.4.1: $found"
[ "$found" = "['answer None', 'answer None', 'question Sure?']
['question I am Ann.', 'answer None', 'question Who am I?', 'answer Ann', 'question Sure?']
['question Who am I?', 'reasoning None answer Ann', 'question Sure?']" ]
