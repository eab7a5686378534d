#!/usr/bin/env bash
# trl 1.16.0, the chat templates that it ships: some leave out a call without a word, and show its result.
#
# Guess: A template of a model without tools raises an error for a call, or leaves out the call and its result.
# Seen: Llama 3, LFM2, Qwen2.5-VL and DeepSeek's R1 distills show the result alone, so the model reads an answer to a
# question that nobody asked; Phi 3 shows neither; Qwen 3 shows both. None of them raises an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check jinja2==3.1.6
"$folder/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$folder" trl==1.16.0
cat > "$folder/program.py" <<'PROGRAM'
import glob
import json
import zipfile
from datetime import datetime

import jinja2.sandbox

environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
)
environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
environment.globals.update(strftime_now=datetime.now().strftime)
package = zipfile.ZipFile(glob.glob("*.whl")[0])
function = {"name": "weather", "arguments": {"city": "Oslo"}}
messages = [
    {"role": "user", "content": "How is it?"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "call00000", "type": "function", "function": function}]},
    {"role": "tool", "content": "Cold.", "tool_call_id": "call00000"},
]
for name in ("llama3", "lfm2", "qwen2_5_vl", "deepseek_r1_distill", "phi3", "qwen3"):
    template = environment.from_string(package.read(f"trl/chat_templates/{name}.jinja").decode())
    text = template.render(messages=messages, bos_token="", eos_token="", add_generation_prompt=True)
    words = {"call": "Oslo", "result": "Cold."}
    print(name, "+".join(key for key, word in words.items() if word in text) or "neither", end="; ")
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "trl==1.16.0: $found"
[ "$found" = "llama3 result; lfm2 result; qwen2_5_vl result; deepseek_r1_distill result; phi3 neither; qwen3 call+result; " ]
