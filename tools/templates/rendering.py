"""Renders chat templates as transformers does, with requests prepared as by vLLM or by llama.cpp's server."""

import copy
import functools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, cast

import jinja2
import jinja2.sandbox

from memzoo.stores import Message

__all__ = ["SERVERS", "TOOLS", "Template", "called", "said"]

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "look_up",
            "description": "Looks up a person.",
            "parameters": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        },
    }
]


class RefusedError(Exception):
    """The template refuses the messages."""


def _refuse(message: str) -> None:
    raise RefusedError(message)


def _to_json(value: Any, indent: int | None = None, **others: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _environment() -> jinja2.sandbox.ImmutableSandboxedEnvironment:
    found = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    found.filters["tojson"] = _to_json
    cast("dict[str, Any]", found.globals).update(raise_exception=_refuse, strftime_now=datetime.now(UTC).strftime)
    return found


_ENVIRONMENT = _environment()


def said(role: str, content: Any = None, **others: Any) -> Message:
    """Return a chat message with this role and content."""
    return {"role": role, "content": content, **others}


def called(
    *marks: str, content: Any = "", ids: str = "call0000", arguments: Callable[[Any], Any] = json.dumps
) -> list[Message]:
    """Return an assistant message with a tool call for each mark, then the results as messages."""
    each = [f"{ids}{place}" for place, _ in enumerate(marks)]
    calls = [
        {"id": id_, "type": "function", "function": {"name": "look_up", "arguments": arguments({"name": mark})}}
        for id_, mark in zip(each, marks, strict=True)
    ]
    results = [said("tool", f"{mark}result", tool_call_id=id_) for id_, mark in zip(each, marks, strict=True)]
    return [said("assistant", content, tool_calls=calls), *results]


@dataclass(eq=False)
class Template:
    """A chat template; its abilities are found by trying, as servers do.

    Attributes:
        name: The template's name.
        source: The template's text.
    """

    name: str
    source: str

    @cached_property
    def _compiled(self) -> jinja2.Template:
        return _ENVIRONMENT.from_string(self.source)

    def render(self, messages: Sequence[Message], tools: Sequence[Any] | None = None) -> str:
        """Return a request rendered as a prompt.

        Raises:
            Exception: The template refuses the request, or fails.
        """
        return self._compiled.render(
            messages=messages, tools=tools, bos_token="<s>", eos_token="</s>", add_generation_prompt=True
        )

    @functools.cache  # noqa: B019 - a template lives as long as the program
    def plain_text(self, *, tools: bool) -> str:
        """Return the prompt for a request with nothing but a short question."""
        return self.render(self._as_content([said("user", "hi")]), TOOLS if tools else None)

    def keeps(self, mark: str, messages: Sequence[Message], tools: Sequence[Any] | None = None) -> bool:
        """Return True if the template renders the messages, and the mark is in the result, but no repr of a part is."""
        try:
            text = self.render(messages, tools)
        except Exception:  # noqa: BLE001 - a template may raise anything
            return False
        return mark in text and "'type': 'text'" not in text

    @cached_property
    def takes_text(self) -> bool:
        """True if a message's content may be a text."""
        return self.keeps("mark", [said("user", "mark")])

    @cached_property
    def takes_parts(self) -> bool:
        """True if a message's content may be a list of parts."""
        return self.keeps("mark", [said("user", [{"type": "text", "text": "mark"}])])

    @cached_property
    def loops_over_parts(self) -> bool:
        """True if the template loops over the parts of a content; vLLM then sends each text as a list of parts."""
        return bool(re.search(r"for \w+ in \w+(\[['\"]content['\"]\]|\.content)", self.source))

    @cached_property
    def takes_system(self) -> bool:
        """True if a system message is rendered."""
        return self.keeps("mark", self._as_content([said("system", "mark"), said("user", "hi")]))

    @cached_property
    def takes_tools(self) -> bool:
        """True if a request with tool descriptions is rendered; some templates fail."""
        return self.keeps("mark", self._as_content([said("user", "mark")]), TOOLS)

    @cached_property
    def takes_objects(self) -> bool:
        """True if a call's arguments may be an object instead of JSON text."""
        plain = [said("user", "hi"), *called("mark", arguments=lambda given: given), said("assistant", "yes")]
        return self.keeps("mark", self._as_content([*plain, said("user", "hm")]), TOOLS)

    def _as_content(self, messages: Sequence[Message]) -> list[Message]:
        return list(messages) if self.takes_text else list(map(_parted, messages))


def _texts(message: Message) -> list[str]:
    content: str | list[dict[str, str]] = message.get("content") or []
    return [content] if isinstance(content, str) else [part["text"] for part in content]


def _parted(message: Message) -> Message:
    return message | {"content": [{"type": "text", "text": text} for text in _texts(message)]}


def as_vllm(template: Template, messages: Sequence[Message]) -> list[Message]:
    """Return messages as vLLM 0.11 prepares them (`chat_utils.py`).

    Unknown members are left out, `None` becomes "", arguments are parsed, and all contents get the same form.
    """
    kept = ("role", "content", "name", "tool_calls", "tool_call_id")
    sent = [{name: value for name, value in copy.deepcopy(message).items() if name in kept} for message in messages]
    for place, message in enumerate(sent):
        for call in message.get("tool_calls") or ():
            call["function"]["arguments"] = json.loads(call["function"].get("arguments") or "{}")
        sent[place] = _parted(message) if template.loops_over_parts else message | {"content": _joined(message)}
    return sent


def as_llama_cpp(template: Template, messages: Sequence[Message]) -> list[Message]:
    """Return messages as llama.cpp's server prepares them (`common/chat.cpp`): adapted to the template's abilities."""
    sent = [copy.deepcopy(message) for message in messages]
    for place, message in enumerate(sent):
        if message["role"] == "developer" and "<|channel|>" not in template.source:
            message["role"] = "system"
        for call in message.get("tool_calls") or ():
            if template.takes_objects:
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        if isinstance(message.get("content"), list):
            sent[place] = message if template.takes_parts else message | {"content": _joined(message)}
        else:
            sent[place] = message | {"content": message.get("content") or ""}
        if not template.takes_text:
            sent[place] = _parted(sent[place])
    if not template.takes_system and len(sent) > 1 and sent[0]["role"] == "system":
        rules, first, *others = sent
        sent = [first | {"content": f"{_joined(rules)}\n{_joined(first)}"}, *others]
    return sent


def _joined(message: Message) -> str:
    return "\n".join(_texts(message))


SERVERS: dict[str, Callable[[Template, Sequence[Message]], list[Message]]] = {
    "vLLM": as_vllm,
    "llama.cpp": as_llama_cpp,
}
