#!/usr/bin/env bash
# trl 1.16.0, the chat templates that it ships: no one form of a call's arguments suits all of them.
#
# Guess: OpenAI's form, a string of JSON, or transformers' form, an object, is rendered by every template with tools.
# Seen: A string is encoded once more by Llama 3.1 and Qwen 2.5, and raises an error in GLM 4 MoE; an object raises an
# error in DeepSeek V3, which adds it to a string. Servers know that and try; `apply_chat_template` does not.
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
for name in ("llama3_1", "qwen2_5", "glm4moe", "deepseekv3"):
    template = environment.from_string(package.read(f"trl/chat_templates/{name}.jinja").decode())
    for arguments in ('{"city": "Oslo"}', {"city": "Oslo"}):
        function = {"name": "weather", "arguments": arguments}
        messages = [
            {"role": "user", "content": "How is it?"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "call00000", "type": "function", "function": function}]},
            {"role": "tool", "content": "Cold.", "tool_call_id": "call00000"},
        ]
        try:
            text = template.render(messages=messages, bos_token="", eos_token="", add_generation_prompt=True)
            outcome = "twice" if '\\"city\\"' in text else "right" if "Oslo" in text else "lost"
        except Exception:
            outcome = "error"
        print(name, type(arguments).__name__, outcome, end="; ")
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "trl==1.16.0: $found"
[ "$found" = "llama3_1 str twice; llama3_1 dict right; qwen2_5 str twice; qwen2_5 dict right; glm4moe str error; glm4moe dict right; deepseekv3 str right; deepseekv3 dict error; " ]
