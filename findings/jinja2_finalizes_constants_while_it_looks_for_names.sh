#!/usr/bin/env bash
# jinja2 3.1.6: `meta.find_undeclared_variables` computes a template's constants and hands them to `finalize`.
#
# Guess: It reads the syntax tree; nothing of the template or of the program's own functions runs before a rendering.
# Seen: It compiles the template, so `6 * 7` is computed and `finalize` is called with 42, though nothing is rendered.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check jinja2==3.1.6
cat > "$folder/program.py" <<'PROGRAM'
from jinja2 import Environment, meta

seen = []


def finalize(value):
    seen.append(value)
    return value


environment = Environment(finalize=finalize)
print(meta.find_undeclared_variables(environment.parse("{{ 6 * 7 }} for {{ name }}")), seen)
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "jinja2==3.1.6: $found"
[ "$found" = "{'name'} [42]" ]
