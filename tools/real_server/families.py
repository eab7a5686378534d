"""Sends requests of all memories to llama.cpp's server, with the chat templates of ten families of models.

The model is always the same small one. It is not asked: the server only renders each request, or refuses it.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import httpx
from rich.console import Console

from memzoo.memories.text.families import family_of
from tools.real_server.server import served
from tools.templates.fetched import fetch
from tools.templates.forms import form_of
from tools.templates.rendering import TOOLS
from tools.templates.talks import views, words_of

__all__ = ["FAMILIES", "show_refused"]

_Request: TypeAlias = dict[str, Any]

FAMILIES: Mapping[str, str] = {
    "DeepSeek-V3.1": "llama/deepseek-ai-DeepSeek-V3.1",
    "gemma-2-2b-it": "llama/google-gemma-2-2b-it",
    "GLM-4.6": "llama/GLM-4.6",
    "gpt-oss-120b": "llama/openai-gpt-oss-120b",
    "Kimi-K2-Instruct": "llama/Kimi-K2-Instruct",
    "Llama-3.1-8B-Instruct": "llama/meta-llama-Llama-3.1-8B-Instruct",
    "MiniMax-M2": "llama/MiniMax-M2",
    "Mistral-Small-3.2-24B-Instruct-2506": "llama/Mistral-Small-3.2-24B-Instruct-2506",
    "Qwen3.5-4B": "llama/Qwen3.5-4B",
    "SmolLM3-3B": "llama/HuggingFaceTB-SmolLM3-3B",
}
"""The chat templates, by the model name that the server reports; a memory chooses the family by this name."""


def show_refused(strategies: Sequence[str]) -> int:
    """Send all requests to a server with each template, print a line for each, and return the number of faults."""
    templates, console, all_faults = fetch(), Console(soft_wrap=True, highlight=False, markup=False), 0
    for family, requests in _requests(strategies).items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "chat.jinja"
            file.write_text(templates[FAMILIES[family]], encoding="utf-8")
            with served(alias=family, template=file) as url:
                faults = _faults(url, requests)
        console.print(f"{family}: {len(requests)} forms of requests, {faults.total()} refused or with words lost")
        for fault, number in faults.most_common():
            console.print(f"    {number} {fault}")
        all_faults += faults.total()
    return all_faults


def _requests(strategies: Sequence[str]) -> dict[str, list[_Request]]:
    """Return, for each family, one request of each form that memories make."""
    found: dict[str, dict[str, _Request]] = {family: {} for family in FAMILIES}
    for view in views(strategies):
        for name, requests in found.items():
            messages = view.request(family_of(name))
            form = json.dumps([form_of(messages).messages, view.tools])
            requests.setdefault(form, {"messages": messages} | ({"tools": TOOLS} if view.tools else {}))
    return {family: list(requests.values()) for family, requests in found.items()}


def _faults(url: str, requests: Sequence[_Request]) -> Counter[str]:
    """Count the requests that the server refuses, and those without tools whose prompt lacks a name."""
    found = Counter[str]()
    with httpx.Client(base_url=url.removesuffix("/v1"), trust_env=False, timeout=60) as client:
        for request in requests:
            answer = client.post("/apply-template", json=request)
            if answer.is_error:
                found[f"refused: {answer.json()['error']['message'].strip().splitlines()[-1]}"] += 1
            elif "tools" not in request and (lost := words_of(request["messages"]) - words_of(answer.json()["prompt"])):
                found[f"lost {len(lost)} names"] += 1
    return found
