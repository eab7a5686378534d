"""Endpoints that keep the written rules of providers: what they sent must come back, and nothing that they do not know.

The rules stand beside the families in `memzoo.memories.text.families`, with their sources.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from memzoo.stores import Message
from tests.memories.chat.conftest import Endpoint, out_of_order

Rule = Callable[["StrictEndpoint", list[Message]], str]

_KNOWN: dict[str, set[str]] = {
    "system": {"role", "content"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal"},
    "tool": {"role", "content", "tool_call_id"},
}


@dataclass
class StrictEndpoint(Endpoint):
    """Answers each question with calls of the tool `note`, then with words, and keeps to the rules of its provider.

    Attributes:
        model_name: The name under which clients know the model.
        rules: What is checked of each request.
        members: The members beside OpenAI's that are taken in an assistant's message and in its calls.
        adorn: Adds the provider's members to a message; called with a fresh number.
        said: The answers, with all members, in order.
    """

    model_name: str = "scripted"
    rules: tuple[Rule, ...] = ()
    members: frozenset[str] = frozenset()
    adorn: Callable[[Message, int], Message] = lambda message, _: message
    said: list[Message] = field(default_factory=list[Message])
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def fault(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Why a request is refused with status 400; `None` if it is not, and an answer is prepared."""
        messages: list[Message] = request["messages"]
        faults = (rule(self, messages) for rule in (known_members, sound_calls, words, alternates, *self.rules))
        if fault := next(filter(None, faults), ""):
            return {"message": fault}
        answer = self._answer(messages) if request.get("tools") else {"role": "assistant", "content": "A summary."}
        self.answers.append({"message": answer, "reason": "tool_calls" if answer.get("tool_calls") else "stop"})
        return None

    def _answer(self, messages: list[Message]) -> Message:
        """One call for most questions, two at once for each third, two in a row for each fourth."""
        asked = max(place for place, message in enumerate(messages) if message["role"] == "user")
        turn = int(re.findall(r"\d+", str(messages[asked]["content"]))[-1])
        steps = sum(message["role"] == "assistant" for message in messages[asked:])
        number = next(self._numbers)
        message: Message = {"role": "assistant", "content": f"Noted {turn}."}
        if steps < (2 if turn % 4 == 0 else 1):
            message["content"] = None
            message["tool_calls"] = [_call(f"call_{number}_{each}", turn) for each in range(2 if turn % 3 == 0 else 1)]
        self.said.append(self.adorn(message, number))
        return self.said[-1]


def _call(id_: str, turn: int) -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": "note", "arguments": json.dumps({"number": turn})}}


def known_members(endpoint: StrictEndpoint, messages: list[Message]) -> str:
    """No message and no call has a member that the provider does not know, or an empty one."""
    for message in messages:
        known = _KNOWN[message["role"]] | (endpoint.members if message["role"] == "assistant" else set[str]())
        more = message.keys() - known
        for call in message.get("tool_calls", []):
            more |= call.keys() - {"id", "type", "function"} - endpoint.members
        if more:
            return f"property {sorted(more)} is unsupported"
    return ""


def sound_calls(endpoint: StrictEndpoint, messages: list[Message]) -> str:
    """Calls have results, names that are allowed, and arguments that are an object; ids are the endpoint's own."""
    for call in (call for message in messages for call in message.get("tool_calls", [])):
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call["function"]["name"]):
            return f"name {call['function']['name']!r} is invalid"
        if not isinstance(json.loads(call["function"]["arguments"]), dict):
            return f"arguments {call['function']['arguments']!r} are no object"
    return out_of_order(messages)


def words(endpoint: StrictEndpoint, messages: list[Message]) -> str:
    """No message is without words, but for one that has calls."""
    empty = (one for one in messages if not str(one.get("content") or "").strip() and not one.get("tool_calls"))
    return f"content of {one} is empty" if (one := next(empty, None)) else ""


def alternates(endpoint: StrictEndpoint, messages: list[Message]) -> str:
    """One system message, first; then a user, and each in turn."""
    roles = [message["role"] for message in messages if message["role"] != "tool"]
    told = "".join(role[0] for role in roles)
    return "" if re.fullmatch("s?u(a+u)*a*", told) else f"Conversation roles must alternate: {told}"


def deepseek(endpoint: StrictEndpoint, messages: list[Message]) -> str:
    """All of an assistant's messages have their thoughts, as they were sent."""
    for message in messages:
        if message["role"] == "assistant":
            thoughts = message.get("reasoning_content")
            if not thoughts:
                return "The `reasoning_content` in the thinking mode must be passed back to the API."
            if (was := _find(endpoint, message)) and thoughts != was["reasoning_content"]:
                return f"reasoning_content was {was['reasoning_content']!r}, and is {thoughts!r}"
    return ""


def gemini(endpoint: StrictEndpoint, messages: list[Message]) -> str:
    """The first call of each step of this turn has its signature; no signature was changed."""
    asked = max(place for place, message in enumerate(messages) if message["role"] == "user")
    for place, message in enumerate(messages):
        for position, call in enumerate(message.get("tool_calls", [])):
            was = next((one for one in _calls_of(endpoint) if one["id"] == call["id"]), None)
            if was and call.get("extra_content") != was.get("extra_content"):
                return f"Corrupted thought signature: {call}"
            if position == 0 and place > asked and not call.get("extra_content"):
                return f"Function call is missing a thought_signature: {call}"
        if (was := _find(endpoint, message)) and message.get("extra_content") != was.get("extra_content"):
            return f"Corrupted thought signature: {message}"
    return ""


def _find(endpoint: StrictEndpoint, message: Message) -> Message | None:
    """The message as it was sent, by its calls or its words."""

    def words_of(one: Message) -> str:
        return str(one.get("content") or "").rpartition("</think>\n\n")[2]

    ids = [call["id"] for call in message.get("tool_calls", [])]
    same = (one for one in reversed(endpoint.said) if [call["id"] for call in one.get("tool_calls", [])] == ids)
    return next((one for one in same if ids or words_of(one) == words_of(message)), None)


def _calls_of(endpoint: StrictEndpoint) -> Iterator[Message]:
    return (call for message in endpoint.said for call in message.get("tool_calls", []))


def _thinks(message: Message, number: int) -> Message:
    return message | {"reasoning_content": f"Hmm, {number}:  I should\n\nthink of it. \u00e9"}


def _signs(message: Message, number: int) -> Message:
    signature = {"extra_content": {"google": {"thought_signature": f"EjQKMgEM{number}/+=="}}}
    if calls := message.get("tool_calls"):
        return message | {"tool_calls": [calls[0] | signature, *calls[1:]]}
    return message | signature


def _details(message: Message, number: int) -> Message:
    text = {"type": "reasoning.text", "text": f"Hm {number}.", "signature": f"sig{number}", "format": "f", "index": 0}
    hidden = {"type": "reasoning.encrypted", "data": f"x{number}==", "format": "f", "index": 1}
    return message | {"reasoning_details": [text, hidden]}


def openrouter(endpoint: StrictEndpoint, messages: list[Message]) -> str:
    """Details of reasoning are as they were sent."""
    for message in messages:
        if (was := _find(endpoint, message)) and message.get("reasoning_details") != was["reasoning_details"]:
            return f"reasoning_details were {was['reasoning_details']}, and are {message.get('reasoning_details')}"
    return ""


def minimax(endpoint: StrictEndpoint, messages: list[Message]) -> str:
    """The content begins with the thoughts, as it was sent."""
    for message in messages:
        was = _find(endpoint, message)
        if was and message["content"] != was["content"]:
            return f"the content was {was['content']!r}, and is {message['content']!r}"
    return ""


def _tags(message: Message, number: int) -> Message:
    return message | {"content": f"<think>\nHm {number}.\n</think>\n\n{message['content'] or ''}"}


STRICT: dict[str, Callable[[], StrictEndpoint]] = {
    "deepseek": lambda: StrictEndpoint(
        model_name="deepseek-v4-flash", rules=(deepseek,), members=frozenset({"reasoning_content"}), adorn=_thinks
    ),
    "kimi": lambda: StrictEndpoint(
        model_name="kimi-k2.6", rules=(deepseek,), members=frozenset({"reasoning_content"}), adorn=_thinks
    ),
    "gemini": lambda: StrictEndpoint(
        model_name="gemini-3-pro", rules=(gemini,), members=frozenset({"extra_content"}), adorn=_signs
    ),
    "openrouter": lambda: StrictEndpoint(
        model_name="anthropic/claude", rules=(openrouter,), members=frozenset({"reasoning_details"}), adorn=_details
    ),
    "minimax": lambda: StrictEndpoint(model_name="MiniMax-M2.1", rules=(minimax,), adorn=_tags),
    "groq": lambda: StrictEndpoint(model_name="a-model", adorn=_thinks),
}
"""Providers with rules of their own, by the name of their family; "groq" takes no member but OpenAI's."""
