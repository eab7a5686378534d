#!/usr/bin/env bash
# node-llama-cpp 3.22.1 (npm) with the chat templates of Gemma 4 that ship with trl 1.16.0: the results of tools stand
# between marks that the template does not have.
#
# Guess: With `auto`, a model that brings its own template is shown a conversation as that template writes it; a wrapper
# of the library takes its place only if it writes the same.
# Seen: Each of the four templates is replaced by the `Gemma4ChatWrapper`, as the two agree where there are no tools.
# With them they do not: definitions and arguments are JSON within a second pair of braces, where the template has a
# notation of its own without quotation marks, and a result stands in `<tool_response>` and `</tool_response>`, in the
# place of `<|tool_response>` and `<tool_response|>`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check jinja2==3.1.6
venv/bin/pip download --quiet --disable-pip-version-check --no-deps trl==1.16.0
python3 -m zipfile -e trl-1.16.0-*.whl .
npm install --silent --no-fund --no-audit --omit=optional --ignore-scripts node-llama-cpp@3.22.1 > /dev/null
cat > render.py <<'PROGRAM'
import sys
from pathlib import Path

import jinja2.sandbox

environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
call = {"type": "function", "function": {"name": "pay", "arguments": {"to": "Ann"}}}
messages = [
    {"role": "user", "content": "Pay Ann."},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "call00000", **call}]},
    {"role": "tool", "name": "pay", "tool_call_id": "call00000", "content": "Paid."},
]
for name in sys.argv[1:]:
    template = environment.from_string(Path(f"trl/chat_templates/{name}.jinja").read_text())
    text = template.render(messages=messages, bos_token="", eos_token="", add_generation_prompt=True)
    print(name, text[text.index("<|tool_call>") : text.index("<tool_response|>") + len("<tool_response|>")])
PROGRAM
cat > render.mjs <<'PROGRAM'
import { resolveChatWrapper } from "node-llama-cpp";
import { readFileSync } from "node:fs";

const call = { type: "functionCall", name: "pay", params: { to: "Ann" }, result: "Paid." };
const chatHistory = [
  { type: "user", text: "Pay Ann." },
  { type: "model", response: [call, ""] },
];
for (const name of process.argv.slice(2)) {
  const chat_template = readFileSync(`trl/chat_templates/${name}.jinja`, "utf8");
  const wrapper = resolveChatWrapper({ type: "auto", fileInfo: { metadata: { tokenizer: { chat_template } } } });
  const text = wrapper.generateContextState({ chatHistory }).contextText.toString();
  console.log(name, text.slice(text.indexOf("<|tool_call>")));
}
PROGRAM
names="gemma4 gemma4_v3 gemma4_v4 gemma4_v5"
for_python=$(venv/bin/python render.py $names)
for_javascript=$(node render.mjs $names)
echo "jinja2==3.1.6:" $for_python
echo "node-llama-cpp@3.22.1:" $for_javascript
template='<|tool_call>call:pay{to:<|"|>Ann<|"|>}<tool_call|>'
template+='<|tool_response>response:pay{value:<|"|>Paid.<|"|>}<tool_response|>'
wrapper='<|tool_call>call:pay{{"to": "Ann"}}<tool_call|>'
wrapper+='<tool_response>response:pay{"Paid."}</tool_response>'
[ "$for_python" = "$(printf "%s $template\n" $names)" ]
[ "$for_javascript" = "$(printf "%s $wrapper\n" $names)" ]
