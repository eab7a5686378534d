#!/usr/bin/env bash
# langchain-classic 1.0.8 with langchain-community 0.4.2: if warnings are errors, an existing class is reported as
# missing, and `hasattr` is False.
#
# Guess: Tests that turn warnings into errors (Python's `-W error`, pytest's `filterwarnings`) stop at a deprecated name
# with its warning, which says where the class is now. `hasattr` still says whether a module has a name.
# Seen: The warning is raised inside a `try` that takes any exception for a missing attribute. So the error is "module
# langchain_community.chat_message_histories has no attribute FileChatMessageHistory". Yet that is the very import that
# the hidden warning recommends, and it works. A program that asks `hasattr` uses its fallback, with neither an error
# nor a warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-classic==1.0.8 \
    langchain-community==0.4.2 langchain-core==1.8.3 sqlalchemy==2.1.9 greenlet==3.5.6
cat > "$folder/program.py" <<'PROGRAM'
import warnings

import langchain_classic.memory
import langchain_community.chat_message_histories

name = "FileChatMessageHistory"
for action in ("ignore", "error"):
    with warnings.catch_warnings():
        warnings.simplefilter(action)
        print(f"{action}:", hasattr(langchain_classic.memory, name))
        try:
            print(" ", getattr(langchain_classic.memory, name).__name__)
        except AttributeError as error:
            print(" ", error)
            print("  behind it:", type(error.__cause__).__name__)
            advice = f"from langchain_community.chat_message_histories import {name}"
            print("  which recommends that import:", advice in str(error.__cause__))
        print("  where it is now:", hasattr(langchain_community.chat_message_histories, name))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "langchain-classic==1.0.8, langchain-community==0.4.2:" $found
[ "$found" = "ignore: True
  FileChatMessageHistory
  where it is now: True
error: False
  module langchain_community.chat_message_histories has no attribute FileChatMessageHistory
  behind it: LangChainDeprecationWarning
  which recommends that import: True
  where it is now: True" ]
