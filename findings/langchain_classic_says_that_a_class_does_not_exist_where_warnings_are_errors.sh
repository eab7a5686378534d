#!/usr/bin/env bash
# langchain-classic 1.0.8 with langchain-community 0.4.2: where warnings are errors, a class that exists is said not to
# exist, and `hasattr` is False.
#
# Guess: Tests that make errors of warnings (`-W error` of Python, `filterwarnings` of pytest) stop at a deprecated name
# with that warning, which says where the class is now; `hasattr` says whether a module has a name, as before.
# Seen: The warning is raised within a `try` that takes each exception for a missing attribute. So the error is
# "module langchain_community.chat_message_histories has no attribute FileChatMessageHistory", though that very import
# is the one that the hidden warning recommends, and it works. A program that asks `hasattr` goes on with its fallback,
# and neither an error nor a warning is seen.
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
  where it is now: True" ]
