"""Reads the parts of a message's content, in the forms of OpenAI, Anthropic, Gemini, Bedrock and others."""

import json
from dataclasses import dataclass, field
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.members import as_list, mark_of
from memzoo.hosts.messages import dict_of, dicts_of, make_call
from memzoo.memories.text.thoughts import THOUGHT_PARTS, name_thoughts
from memzoo.stores import Message

_WORDS = ("text", "input_text", "output_text")
_CALLS = ("tool_use", "server_tool_use", "tool_call", "tool-call", "dynamic-tool", "tool-invocation")
_RESULTS = ("tool_result", "tool-result", "tool_call_response", "web_search_tool_result")
_CALLS_INSIDE = ("toolUse", "functionCall", "function_call", "toolInvocation")
_RESULTS_INSIDE = ("toolResult", "functionResponse", "function_response")
_MEDIA = frozenset(f"{kind}{form}" for kind in ("image", "audio", "video") for form in ("", "_url", "_file", "_base64"))
_MARKS = ("step-start", "source-url", "source-document", "cachePoint")
"""The types of parts that hold neither words nor work."""

_IDS = ("toolUseId", "toolCallId", "tool_use_id", "id")
_NAMES = ("name", "toolName")
_ARGUMENTS = ("input", "args", "arguments")
_WRITTEN = ("text", "content", "value")
"""The members for words; LLaMA-Factory calls it a value."""
_MEMBERS = ("image_url", "input_audio", "file", "caption", "filename")
"""The members of other parts than words that are kept."""
_GIVEN = ("output", "result", "errorText", "content", "response")


@dataclass(slots=True)
class Parts:
    """The parts of one message, grouped by kind.

    Attributes:
        said: The texts and pictures, as parts in OpenAI's form.
        results: The results of tools, each with the call's id, the tool's name and the text.
        lost: The number of parts whose text is missing.
        blank: The number of parts with an empty text.
        marks: The number of parts that need no text, such as "step-start".
    """

    said: list[Message] = field(default_factory=list[Message])
    calls: list[Message] = field(default_factory=list[Message])
    results: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    thoughts: list[str] = field(default_factory=list[str])
    lost: int = 0
    blank: int = 0
    marks: int = 0

    @classmethod
    def of(cls, content: list[Any]) -> "Parts":
        """Return the parts of a message's content, grouped by kind. The content may have any common form.

        Raises:
            TransferError: A part has no type or an unknown form.
        """
        parts = cls()
        typed = any("type" in part for part in dicts_of(content))
        for part in dicts_of(content):
            kind = mark_of(part, "type", "a part", str) if {"text", "value"} & part.keys() else ""
            if kind is None and typed:
                raise TransferError(f"a part has no 'type', as others have: {part!r:.80}")
        for part in content:
            parts._add(part)
        return parts

    @property
    def content(self) -> Any:
        """The content for an OpenAI message: a text, or a list of parts if there are pictures."""
        texts = [part["text"] for part in self.said if part["type"] == "text"]
        return "\n".join(texts) if len(texts) == len(self.said) else self.said

    def messages(self, role: str) -> list[Message]:
        """Return the parts as OpenAI chat messages: first the results of tools, then the words and the calls.

        In an assistant's message with both calls and results, the order is different: calls, results, words.
        """
        results: list[Message] = [
            {"role": "tool", "tool_call_id": id_, "content": text}
            if id_
            else {"role": "function", "name": name, "content": text}
            for id_, name, text in self.results
        ]
        content = self.content
        own = bool(self.results) and role == "assistant"
        words: list[Message] = [{"role": role, "content": content}] if content else []
        if self.calls:
            calls: Message = {"role": "assistant", "content": None, "tool_calls": self.calls}
            said = [calls, *results, *words] if own else [*results, calls | {"content": content or None}]
        else:
            said = [*results, *words]
        if self.lost or not (said or ((self.thoughts or self.marks) and not self.blank)):
            said.append({"role": role, "content": ""})
        if said and said[-1]["role"] == "assistant" and said[-1]["content"]:
            said[-1] |= name_thoughts(said[-1], "\n\n".join(filter(None, self.thoughts)))
        return said

    def _add(self, part: Any) -> None:
        known = dict_of(part)
        kind = str(known.get("type") or "")
        call = next((dict_of(known[key]) for key in _CALLS_INSIDE if key in known), None)
        result = next((dict_of(known[key]) for key in _RESULTS_INSIDE if key in known), None)
        # LLaMA-Factory has the address of a picture as its value.
        words = None if kind in _MEDIA and "text" not in known else _words(part)
        if kind in THOUGHT_PARTS or mark_of(known, "thought", "a part", bool) or "reasoningContent" in known:
            self.thoughts.append(_thought(known))
        elif result is not None or kind in _RESULTS or "tool_use_id" in known:
            self._add_result(known if result is None else result)
        elif call is not None or kind in _CALLS or kind.startswith("tool-"):
            self._add_call(known if call is None else call, kind.removeprefix("tool-"))
        elif kind in _MARKS:
            self.marks += 1
        elif words is not None:
            self.said += [{"type": "text", "text": words}] if words.strip() else []
            self.blank += not words.strip()
        elif kind in _WORDS:
            self.lost += 1
        else:
            kind = kind or str(known.get("content_type") or next(iter(known), "attachment"))
            self.said.append({"type": kind, **{key: one for key, one in known.items() if key in _MEMBERS}})

    def _add_call(self, call: dict[str, Any], tool: str) -> None:
        if isinstance(written := call.get("value"), str):  # LLaMA-Factory writes calls as JSON
            for one in dicts_of(as_list(_parse_call(written))):
                self._add_call(one, tool)
            return
        id_, name = str(_first(call, _IDS) or ""), _first(call, _NAMES) or tool
        # A call without an id gets one that stands for its place; see `ChatLog.of`.
        self.calls.append(make_call(id_, name, _first(call, _ARGUMENTS)) | {"id": id_})
        if (given := _first(call, _GIVEN)) is not None:
            self.results.append((id_, str(name), _text(given)))

    def _add_result(self, result: dict[str, Any]) -> None:
        id_, name = str(_first(result, _IDS) or ""), str(_first(result, _NAMES) or "")
        self.results.append((id_, name, _text(_first(result, _GIVEN))))


def _parse_call(written: str) -> Any:
    try:
        return json.loads(written)
    except ValueError:
        return {"arguments": written}


def _first(part: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((part[key] for key in keys if part.get(key) is not None), None)


def _words(part: Any) -> str | None:
    """Return the words of a part; `None` for a part without a text. Parts of OpenAI's threads have it in an object."""
    text = part if isinstance(part, str) else _first(dict_of(part), _WRITTEN)
    text = text.get("value") if isinstance(text, dict) else text  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return text if isinstance(text, str) else None


def _thought(part: dict[str, Any]) -> str:
    inside = dict_of(dict_of(part.get("reasoningContent")).get("reasoningText"))
    return str(_first(part, ("thinking", *_WRITTEN)) or inside.get("text") or "")


def _text(value: Any) -> str:
    """Return the text of a tool's result; values that are neither texts nor parts are written as JSON."""
    match value:
        case None:
            return ""
        case str():
            return value
        case {"type": "text" | "error-text" | "json" | "error-json", "value": found}:
            return _text(found)
        case list() if value and None not in (words := [_words(one) for one in value]):  # pyright: ignore[reportUnknownVariableType]
            return "\n".join(filter(None, words))
        case _:
            return json.dumps(value, ensure_ascii=False)
