#!/usr/bin/env bash
# trl 1.16.0, the chat templates that it ships: of two system messages, some keep the first, some the second.
#
# Guess: A template writes every message, or raises an error for an order that its model does not know.
# Seen: gpt-oss and Qwen3-VL leave out the second system message, DeepSeek's R1 distills the first; Qwen 3.6
# raises an error; Llama 3.1 and Qwen 3 keep both.
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


def refuse(message):
    raise ValueError(message)


environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
)
environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
environment.globals.update(raise_exception=refuse, strftime_now=datetime.now().strftime)
said = [("system", "FIRST"), ("system", "SECOND"), ("user", "Hi!")]
messages = [{"role": role, "content": content} for role, content in said]
package = zipfile.ZipFile(glob.glob("*.whl")[0])
for name in ("gptoss", "qwen3_vl", "deepseek_r1_distill", "qwen3_6", "llama3_1", "qwen3"):
    template = environment.from_string(package.read(f"trl/chat_templates/{name}.jinja").decode())
    try:
        text = template.render(messages=messages, bos_token="", eos_token="", add_generation_prompt=True)
        print(name, "+".join(word for word in ("FIRST", "SECOND") if word in text) or "none", end="; ")
    except ValueError as error:
        print(name, error, end="; ")
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "trl==1.16.0: $found"
[ "$found" = "gptoss FIRST; qwen3_vl FIRST; deepseek_r1_distill SECOND; qwen3_6 System message must be at the beginning.; llama3_1 FIRST+SECOND; qwen3 FIRST+SECOND; " ]
