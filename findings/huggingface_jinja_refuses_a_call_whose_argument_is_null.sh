#!/usr/bin/env bash
# @huggingface/jinja 0.5.11 (npm, the templates of transformers.js) with chat templates that ship with trl 1.16.0: a
# call of a tool with an argument that is null is an error.
#
# Guess: Both engines are for the same templates, so the text that a model gets from JavaScript is that of Python, and
# a null in the arguments, which is plain JSON, is written or left out.
# Seen: Python's jinja2 renders all six. In JavaScript, Qwen 3.5 and Nemotron 3 raise an error, as their templates
# write arguments with the filter `string`, which does not take null there. And the amount 1.0 becomes 1 in the
# others: other tokens for the model, another key for a cache.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check jinja2==3.1.6
venv/bin/pip download --quiet --disable-pip-version-check --no-deps trl==1.16.0
python3 -m zipfile -e trl-1.16.0-*.whl .
npm install --silent --no-fund --no-audit @huggingface/jinja@0.5.11 > /dev/null
cat > request.json <<'JSON'
{
  "messages": [
    {"role": "user", "content": "Pay Ann."},
    {
      "role": "assistant",
      "content": "",
      "tool_calls": [
        {"id": "call00000", "type": "function", "function": {"name": "pay", "arguments": {"amount": 1.0, "note": null}}}
      ]
    },
    {"role": "tool", "name": "pay", "tool_call_id": "call00000", "content": "Paid."}
  ],
  "bos_token": "",
  "eos_token": "",
  "add_generation_prompt": true
}
JSON
cat > render.py <<'PROGRAM'
import json
import sys
from pathlib import Path

import jinja2.sandbox

environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
)
environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
request = json.loads(Path("request.json").read_text())
for name in sys.argv[1:]:
    text = environment.from_string(Path(f"trl/chat_templates/{name}.jinja").read_text()).render(request)
    print(name, "1.0" if "1.0" in text else "1")
PROGRAM
cat > render.mjs <<'PROGRAM'
import { Template } from "@huggingface/jinja";
import { readFileSync } from "node:fs";

for (const name of process.argv.slice(2)) {
  const template = new Template(readFileSync(`trl/chat_templates/${name}.jinja`, "utf8"));
  try {
    const text = template.render(JSON.parse(readFileSync("request.json", "utf8")));
    console.log(name, text.includes("1.0") ? "1.0" : "1");
  } catch (error) {
    console.log(name, error.message);
  }
}
PROGRAM
names="qwen2_5 qwen3 qwen3_6 qwen3_5_think nemotron_3_nano nemotron_3_super"
for_python=$(venv/bin/python render.py $names)
for_javascript=$(node render.mjs $names)
echo "jinja2==3.1.6:" $for_python
echo "@huggingface/jinja@0.5.11:" $for_javascript
[ "$for_python" = "$(printf '%s 1.0\n' $names)" ]
refused='Cannot apply filter "string" to type: NullValue'
[ "$for_javascript" = "qwen2_5 1
qwen3 1
qwen3_6 1
qwen3_5_think $refused
nemotron_3_nano $refused
nemotron_3_super $refused" ]
