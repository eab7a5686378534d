#!/usr/bin/env bash
# langchain-core 1.8.3 (PyPI) with @langchain/core 1.4.0 (npm): from the same mustache prompt, the model reads notes
# escaped as HTML in Python, and unchanged in JavaScript.
#
# Guess: A prompt is for a model, not for a web page, so a mustache template inserts a note unchanged, as f-strings and
# jinja2 do. A prompt that both languages load gives the model the same words in both.
# Seen: Python escapes each `{{...}}`, also within a list. Ann's "R&D", the quotation marks around her words and the
# comparison in her code reach the model as "R&amp;D", "&quot;" and "&lt;". That costs more tokens, and a model that is
# asked to repeat a key or an address may repeat it in that form. JavaScript escapes nothing. With three braces, both
# are alike. (The mustache specification requires the escapes; langchain turns them off in JavaScript.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3 jinja2==3.1.6
cd "$folder"
npm install --silent --no-fund --no-audit @langchain/core@1.4.0 > /dev/null
cat > prompt.json <<'PROMPT'
{
  "mustache": "{{#notes}}- {{.}}\n{{/notes}}Ann: {{question}}",
  "three braces": "{{#notes}}- {{{.}}}\n{{/notes}}Ann: {{{question}}}",
  "values": {"notes": ["Ann is in R&D.", "She said \"no\"."], "question": "Is if (a < b) right?"}
}
PROMPT
cat > program.py <<'PROGRAM'
import json

from langchain_core.prompts import ChatPromptTemplate

prompt = json.load(open("prompt.json"))
values = prompt.pop("values")
for name, text in prompt.items():
    template = ChatPromptTemplate.from_messages([("human", text)], template_format="mustache")
    print(f"Python, {name}: {template.invoke(values).messages[0].content}")
jinja = "{% for note in notes %}- {{ note }}\n{% endfor %}Ann: {{ question }}"
template = ChatPromptTemplate.from_messages([("human", jinja)], template_format="jinja2")
print(f"Python, jinja2: {template.invoke(values).messages[0].content}")
PROGRAM
cat > program.mjs <<'PROGRAM'
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { readFileSync } from "node:fs";

const { values, ...prompt } = JSON.parse(readFileSync("prompt.json"));
for (const [name, text] of Object.entries(prompt)) {
  const template = ChatPromptTemplate.fromMessages([["human", text]], { templateFormat: "mustache" });
  console.log(`JavaScript, ${name}: ${(await template.invoke(values)).messages[0].content}`);
}
PROGRAM
found=$("$folder/venv/bin/python" program.py && node program.mjs)
echo "langchain-core==1.8.3, @langchain/core@1.4.0:"
echo "$found"
said='- Ann is in R&D.
- She said "no".
Ann: Is if (a < b) right?'
[ "$found" = "Python, mustache: - Ann is in R&amp;D.
- She said &quot;no&quot;.
Ann: Is if (a &lt; b) right?
Python, three braces: $said
Python, jinja2: $said
JavaScript, mustache: $said
JavaScript, three braces: $said" ]
