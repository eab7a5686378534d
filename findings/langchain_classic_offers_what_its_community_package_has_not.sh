#!/usr/bin/env bash
# langchain-classic 1.0.8 with langchain-community 0.4.2: `from langchain_classic.memory import *` is an AttributeError.
#
# Guess: With both packages installed, the old memories and histories can be imported from their old place: each name in
# `__all__` exists. If one is gone, a star import, as in old notebooks, still gives the others.
# Seen: A module's `__getattr__` looks up such names in the other package, which no longer has some of them, and a star
# import asks for all. So two missing histories, for Astra and MongoDB, take all memories with them. Star imports of
# caches, chat models, vector stores, tools and agents fail too, over 28 missing names. For three of these, the error
# says to install langchain-community, which is installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-classic==1.0.8 \
    langchain-community==0.4.2 langchain-core==1.8.3 sqlalchemy==2.1.9 greenlet==3.5.6
cat > "$folder/program.py" <<'PROGRAM'
import importlib

packages = ("memory", "cache", "chat_models", "vectorstores", "tools", "agents", "embeddings")
for package in packages:
    module = importlib.import_module(f"langchain_classic.{package}")
    missing, told_to_install = [], 0
    for name in module.__all__:
        try:
            getattr(module, name)
        except (AttributeError, ImportError) as error:
            missing.append(name)
            told_to_install += "Please install langchain-community" in str(error)
    try:
        exec(f"from langchain_classic.{package} import *", {})
        star = "can be imported by a star"
    except (AttributeError, ImportError) as error:
        star = type(error).__name__
    print(f"{package}: {star}, {len(missing)} of {len(module.__all__)} missing, {told_to_install} to install")
    if package == "memory":
        print("  " + " ".join(missing))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "langchain-classic==1.0.8, langchain-community==0.4.2:" $found
[ "$found" = "memory: AttributeError, 2 of 36 missing, 0 to install
  AstraDBChatMessageHistory MongoDBChatMessageHistory
cache: AttributeError, 2 of 16 missing, 0 to install
chat_models: AttributeError, 11 of 31 missing, 0 to install
vectorstores: AttributeError, 9 of 71 missing, 0 to install
tools: AttributeError, 3 of 119 missing, 0 to install
agents: ModuleNotFoundError, 3 of 42 missing, 3 to install
embeddings: can be imported by a star, 0 of 56 missing, 0 to install" ]
