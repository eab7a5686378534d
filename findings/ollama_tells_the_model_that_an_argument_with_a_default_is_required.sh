#!/usr/bin/env bash
# ollama 0.6.3: of a function that is given as a tool, the model is told no default, and no value of a `Literal`.
#
# Guess: The schema of a Python function has what its signature says, as other converters' have: an argument with a
# default may be left out, a `Literal` has its values, a list the type of its items.
# Seen: An argument counts as optional only if its type allows None. `kind: Literal["cash", "card"] = "cash"` becomes a
# required string of any value, and `tags: list[str] = ()` a required array of anything; `note: str | None`, which has
# no default, may be left out, so that a call without it, as the schema allows, is a TypeError. LangChain's converter
# has the values and the items, and requires the right ones. (ollama-python, pull requests 666 and 718, open, for all
# but the TypeError.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ollama==0.6.3 langchain-core==1.8.3
cat > "$folder/program.py" <<'PROGRAM'
import json
from typing import Literal

from langchain_core.utils.function_calling import convert_to_openai_tool
from ollama._client import Client


def pay(note: str | None, to: str, kind: Literal["cash", "card"] = "cash", tags: list[str] = ()) -> str:
    """Pays somebody.

    Args:
        note: A note.
        to: The name.
        kind: How.
        tags: Words.
    """
    return to


class Seen(Client):
    """Shows the tools of a request in the place of sending it."""

    def _request(self, *_, json, **__):
        return json["tools"][0]


def show(name, tool):
    parameters = tool["function"]["parameters"]
    kind, tags = parameters["properties"]["kind"], parameters["properties"]["tags"]
    print(f"{name}: required", *parameters["required"], "/", kind.get("enum"), "/", tags.get("items"))


show("ollama", Seen().chat("model", messages=[], tools=[pay]))
show("langchain", convert_to_openai_tool(pay))
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "ollama==0.6.3:" $found
[ "$found" = "ollama: required to kind tags / None / None
langchain: required note to / ['cash', 'card'] / {'type': 'string'}" ]
