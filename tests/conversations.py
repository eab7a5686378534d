"""Conversations at random, for property tests and for long runs: whatever programs and models put into a log."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from memzoo.memories.text.messages import Labels
from memzoo.stores import Message

WORDS = "Sam likes tea in Oslo and Anna knows that the cat of Eve sleeps at noon".split()


def render(messages: Iterable[Message], labels: Labels) -> str:
    """Messages as a transcript, a turn for each."""
    return "\n".join(map(labels.line, messages))


def call(*ids: str, text: str | None = None) -> Message:
    """An assistant message with tool calls."""
    function = {"name": "look_up", "arguments": '{"what": "tea"}'}
    calls = [{"id": id_, "type": "function", "function": function} for id_ in ids]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def result(id_: str, text: str = "done") -> Message:
    """A tool message."""
    return {"role": "tool", "tool_call_id": id_, "content": text}


def said(role: str, text: str = "x") -> Message:
    """Any other message."""
    return {"role": role, "content": text}


def legacy_call(name: str = "look_up") -> Message:
    """An assistant message with a function call, as it was before there were tools."""
    return {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": "{}"}}


def legacy_result(name: str = "look_up", text: str = "done") -> Message:
    """A function message."""
    return {"role": "function", "name": name, "content": text}


@dataclass
class Chatter:
    """Says one message after the other, in any order, complete or not.

    Attributes:
        random: Where chance comes from.
    """

    random: Random
    _number: int = 0
    _ids: list[str] = field(default_factory=list[str])

    def message(self) -> Message:
        """Any message: results may be late, doubled or for nobody, calls may stay without results, ids may repeat."""
        kind = self.random.choice(["user"] * 4 + ["answer"] * 4 + ["call"] * 3 + ["result"] * 6 + ["system", "odd"])
        match kind:
            case "user" | "answer":
                return said({"user": "user", "answer": "assistant"}[kind], self.text())
            case "call":
                made = [self._new_id() for _ in range(self.random.choice((1, 1, 2, 3)))]
                self._ids += made
                return call(*made, text=self.random.choice((None, "Wait.")))
            case "result":
                known = self._ids[-4:] or ["nobody"]
                return result(self.random.choice([*known, "nobody"]), self.text())
            case "system":
                return said(self.random.choice(("system", "developer")), self.random.choice(("Be brief.", "Be kind.")))
            case _:
                return self._odd()

    def text(self) -> str:
        """A few words, now and then many; each text is another one."""
        self._number += 1
        count = self.random.choice((1, 2, 3, 5, 40))
        return " ".join([f"#{self._number}", *self.random.choices(WORDS, k=count)])

    def _new_id(self) -> str:
        self._number += 1
        return self.random.choice((f"c{self._number}", "0"))

    def _odd(self) -> Message:
        picture: dict[str, Any] = {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}
        self._number += 1
        odd: list[Message] = [
            {"role": "user", "content": [{"type": "text", "text": f"#{self._number}"}, picture]},
            {"role": "user", "content": [{**picture, "number": self._number}]},
            {"role": "user", "content": ""},
            {"role": "assistant", "content": None, "refusal": "I will not."},
            {"role": "assistant", "content": "Yes.", "tool_calls": None, "function_call": None},
            legacy_call(),
            legacy_result(text=f"#{self._number}"),
        ]
        return self.random.choice(odd)


@dataclass
class Agent:
    """What a model replies when it is asked in a conversation with tools, and what the tools give.

    Attributes:
        random: Where chance comes from.
    """

    random: Random
    _number: int = 0
    _late: list[Message] = field(default_factory=list[Message])

    def reply(self) -> Message:
        """An answer, or one to three calls."""
        self._number += 1
        if self.random.random() < 0.5:
            return said("assistant", f"answer {self._number}")
        ids = [f"call-{self._number}-{place}" for place in range(self.random.choice((1, 1, 2, 3)))]
        return call(*ids, text=self.random.choice((None, "One moment.")))

    def results(self, reply: Message) -> list[Message]:
        """The results of the calls in a reply, in any order; now and then one comes with the next ones, or never."""
        results = [result(made["id"], f"tea {self._number}") for made in reply.get("tool_calls") or ()]
        self.random.shuffle(results)
        late = self.random.random() < 0.15
        now, self._late = self._late + results[late:], results[:late] if self.random.random() < 0.5 else []
        return now


def always(answer: str) -> Callable[[list[Message]], str]:
    """A model that gives one answer, whatever it is asked."""
    return lambda _: answer
