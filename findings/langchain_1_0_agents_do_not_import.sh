#!/usr/bin/env bash
# langchain 1.0.8 installed with the versions that its own requirements choose cannot import `langchain.agents`.
#
# Guess: the last release of a line that asks for `langgraph>=1.0.2,<1.1.0` goes on working, since pip keeps to that.
# Seen: langgraph 1.0.10 takes any langgraph-prebuilt from 1.0.8 below 1.1, and langgraph-prebuilt 1.0.13 imports
# `ExecutionInfo` from langgraph.runtime, which only langgraph 1.1 has. pip reports no conflict, and
# `from langchain.agents import create_agent` is an ImportError. With langgraph-prebuilt 1.0.8 it works.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain==1.0.8 langgraph==1.0.10 langgraph-prebuilt==1.0.13
"$folder/venv/bin/pip" check
cat > "$folder/agents.py" <<'PROGRAM'
try:
    from langchain.agents import create_agent
except ImportError as error:
    print(type(error).__name__, str(error).partition(" (")[0])
else:
    print("imported", create_agent.__name__)
PROGRAM
found=$("$folder/venv/bin/python" "$folder/agents.py")
echo "langgraph-prebuilt 1.0.13: $found"
[ "$found" = "ImportError cannot import name 'ExecutionInfo' from 'langgraph.runtime'" ]
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph-prebuilt==1.0.8
found=$("$folder/venv/bin/python" "$folder/agents.py")
echo "langgraph-prebuilt 1.0.8: $found"
[ "$found" = "imported create_agent" ]
