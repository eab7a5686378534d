#!/usr/bin/env bash
# gradio 6.31.0: code, YAML and nested lists in a chat lose their indentation before the model reads them at the next
# turn.
#
# Guess: The history that goes through a `Chatbot` comes back unchanged, however it is displayed: if a user pastes two
# lines of Python and asks about them in the next turn, the model reads these two lines.
# Seen: Each text of the history goes through `inspect.cleandoc`, which is meant for docstrings and removes the
# indentation that all lines but the first share. (It also strips the first line and expands tabs.) "return 1" stands
# level with its "if", and a nested list becomes a flat one. If a line after the first has no indentation, such as the
# end of a fenced code block, all indentation stays.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check gradio==6.31.0 gradio-client==2.7.2
cat > "$folder/program.py" <<'PROGRAM'
import gradio
from gradio_client import Client

answers = iter(["- milk\n  - oat\n  - soy", "notes:\n\tann: tea", "```\nif ready:\n    return 1\n```", "."])


def answer(question, history):
    read.append([message["content"][0]["text"] for message in history])
    said = [{"role": "user", "content": question}, {"role": "assistant", "content": next(answers)}]
    return history + said


read = []
with gradio.Blocks(analytics_enabled=False) as app:
    question, chat = gradio.Textbox(), gradio.Chatbot()
    question.submit(answer, [question, chat], chat, api_name="ask")
_, address, _ = app.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
client = Client(address, verbose=False)
history = []
for words in ("if ready:\n    return 1", "What is noted?", "Show the code.", "Thanks."):
    history = client.predict(words, history, api_name="/ask")
print(*map(repr, read[-1]), sep="\n")
app.close(verbose=False)
PROGRAM
export GRADIO_ANALYTICS_ENABLED=False
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "gradio==6.31.0:" "$found"
[ "$found" = "'if ready:\\nreturn 1'
'- milk\\n- oat\\n- soy'
'What is noted?'
'notes:\\nann: tea'
'Show the code.'
'\`\`\`\\nif ready:\\n    return 1\\n\`\`\`'" ]
