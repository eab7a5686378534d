"""Reads conversations in the forms of data sets: ShareGPT with tools, OpenAssistant, arenas, preferences."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.fields import as_list, need, role_at
from memzoo.hosts.exports.messages import conversation_of
from memzoo.hosts.exports.talks import take
from memzoo.hosts.exports.trees import tree_of
from memzoo.hosts.messages import dicts_of, make_call
from memzoo.stores import Message

__all__ = ["read_arena", "read_oasst", "read_preference", "read_sharegpt"]

_RESULTS = ("observation", "tool", "function", "function_response")


def read_sharegpt(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield a conversation with "from" and "value", with the calls and results of tools of LLaMA-Factory's form."""
    said: list[Message] = []
    # LLaMA-Factory's preference data has the last turn twice.
    is_preference = not {"chosen", "rejected"}.isdisjoint(document)
    chosen = [take(document, "chosen", "the conversation", dict)] if is_preference else []
    for number, turn in enumerate([*document["conversations"], *chosen], start=1):
        speaker, words = need(turn, "from", number), turn.get("value") or ""
        if speaker == "function_call":
            said.append({"role": "assistant", "content": None, "tool_calls": list(_calls(words))})
        elif speaker in _RESULTS:
            said.append({"role": "function", "content": words})
        else:
            said.append({"role": role_at(turn, "from", number), "content": words})
    notes = ["the instruction ('system') left out"] if document.get("system") else []
    notes += ["1 other answer left out"] if is_preference else []
    key = str(document.get("id") or "")
    yield ChatLog.of(key or title, [(message, None) for message in said], notes, id=key)


def _calls(words: str) -> Iterator[Message]:
    try:
        made = json.loads(words)
    except ValueError:
        made = {"arguments": words}
    for call in dicts_of(as_list(made)):
        yield make_call("", call.get("name"), call.get("arguments")) | {"id": ""}


def read_oasst(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield a tree of OpenAssistant, of which the branch with the best ranks is shown."""
    nodes: dict[str, Any] = {}
    parents: dict[str, Any] = {}
    waiting: list[tuple[Any, Any]] = [(document["prompt"], None)]
    while waiting:
        node, parent = waiting.pop()
        id_ = str(need(node, "message_id", len(nodes) + 1))
        nodes[id_], parents[id_] = node, parent
        waiting += [(reply, id_) for reply in need(node, "replies", id_) or ()]

    def rank_of(reply: Any) -> int:
        return len(nodes) if reply.get("rank") is None else take(reply, "rank", "a reply", int)

    shown = str(document["prompt"]["message_id"])
    unranked = 0
    while replies := nodes[shown].get("replies"):
        ranks = [reply.get("rank") for reply in replies]
        unranked += ranks.count(None) if any(rank is not None for rank in ranks) else 0
        shown = str(min(replies, key=rank_of)["message_id"])

    def said(id_: str) -> list[tuple[Message, None]]:
        role = role_at(nodes[id_], "role", id_, {"prompter": "user"})
        return [({"role": role, "content": nodes[id_].get("text") or ""}, None)]

    key = str(document.get("message_tree_id") or "")
    notes = [f"{count(unranked, 'reply', 'replies')} without a rank"] if unranked else []
    yield tree_of(key or title, parents, said, shown=shown, notes=notes, id=key)


def read_arena(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the two conversations of a comparison of models."""
    name = str(document.get("question_id") or document.get("conversation_id") or title)
    for side in ("a", "b"):
        yield conversation_of(f"{name} {side}", document[f"conversation_{side}"])


def read_preference(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield a conversation with the preferred answer."""
    parts = ((document["input"], "messages"), (document, "preferred_output"))
    log = conversation_of(title, [one for part, key in parts for one in take(part, key, "the conversation", list)])
    others = len(document.get("non_preferred_output") or ())
    notes = [*log.notes, f"{count(others, 'other answer')} left out"] if others else log.notes
    yield replace(log, notes=notes)
