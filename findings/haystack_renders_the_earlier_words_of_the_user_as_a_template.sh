#!/usr/bin/env bash
# haystack-ai 3.4.1: in a talk with a history, the braces that the user once wrote are read as a template.
#
# Guess: `ChatPromptBuilder` fills the variables of the new message, which the program wrote; the history that stands
# before it in the list is sent as it was said.
# Seen: Each message of the user is rendered again at each turn. "It costs {{ price }}" loses the price, a question on
# {{ name }} gets the value of the program's variable, and after a question about LaTeX with "{#1}" or about Jinja with
# "{% name %}" every later turn is an error. The assistant's messages are left as they are, with the same braces.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check haystack-ai==3.4.1
cat > "$folder/program.py" <<'PROGRAM'
from haystack.components.builders import ChatPromptBuilder
from haystack.dataclasses import ChatMessage

builder = ChatPromptBuilder(variables=["name"])
new = ChatMessage.from_user("I am {{ name }}.")
for words in ("It costs {{ price }}.", "Is it {{ name }} in Vue?", "Is {#1} right in LaTeX?", "And {% name %}?"):
    history = [ChatMessage.from_user(words), ChatMessage.from_assistant(words)]
    try:
        print([message.text for message in builder.run(template=[*history, new], name="Ann")["prompt"]])
    except Exception as error:
        print(type(error).__name__)
PROGRAM
export HAYSTACK_TELEMETRY_ENABLED=False
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "haystack-ai==3.4.1:" $found
[ "$found" = "['It costs .', 'It costs {{ price }}.', 'I am Ann.']
['Is it Ann in Vue?', 'Is it {{ name }} in Vue?', 'I am Ann.']
TemplateSyntaxError
TemplateSyntaxError" ]
