"""Reads conversations from data sets: OpenAssistant's trees, and conversations with a preferred answer."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.form import having
from memzoo.hosts.exports.members import as_list, list_at, need, pick, role_at
from memzoo.hosts.exports.messages import conversation_of
from memzoo.hosts.exports.trees import tree_of
from memzoo.hosts.messages import dict_of
from memzoo.hosts.roles import role_of
from memzoo.stores import Message


def read_oasst(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation of an OpenAssistant tree: the branch whose messages have the best ranks."""
    nodes: dict[str, Any] = {}
    parents: dict[str, Any] = {}
    waiting: list[tuple[Any, Any]] = [(document["prompt"], None)]
    while waiting:
        node, parent = waiting.pop()
        id_ = str(need(node, "message_id", f"message {len(nodes) + 1}"))
        nodes[id_], parents[id_] = node, parent
        waiting += [(reply, id_) for reply in need(node, "replies", f"message {id_!r}") or ()]

    def rank_of(reply: Any) -> int:
        return len(nodes) if reply.get("rank") is None else need(reply, "rank", "a reply", int)

    shown = str(document["prompt"]["message_id"])
    unranked = 0
    while replies := nodes[shown].get("replies"):
        ranks = [reply.get("rank") for reply in replies]
        unranked += ranks.count(None) if any(rank is not None for rank in ranks) else 0
        shown = str(min(replies, key=rank_of)["message_id"])

    def said(id_: str) -> list[tuple[Message, None]]:
        role = role_at(nodes[id_], "role", f"message {id_!r}", {"prompter": "user"})
        return [({"role": role, "content": nodes[id_].get("text") or ""}, None)]

    key = str(document.get("message_tree_id") or "")
    notes = [f"{count(unranked, 'reply', 'replies')} without a rank"] if unranked else []
    yield tree_of(key or title, parents, said, shown=shown, notes=notes, id=key)


def has_preference(item: Any) -> bool:
    """Return whether an object has a conversation and two answers, one of them preferred."""
    is_pair = isinstance(item, dict) and not {"chosen", "rejected"}.isdisjoint(item)
    is_sharegpt = is_pair and having("conversations.0.from")(item)
    is_trl = is_pair and having("chosen.role|chosen.0.role|rejected.role|rejected.0.role")(item)
    return is_sharegpt or is_trl or having("input.messages", "preferred_output")(item)


def read_preference(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversation, ending with the preferred answer. OpenAI's, LLaMA-Factory's and TRL's forms are read."""
    place = "the conversation"
    is_openai = "preferred_output" in document
    name = "preferred_output" if is_openai else "chosen"
    is_list = is_openai or isinstance(document.get(name), list)
    best = list_at(document, name, place) if is_list else [need(document, name, place, dict)]
    if not best:
        raise TransferError(f"{place} has no message at {name!r}")
    # TRL's lists can begin with the question.
    is_whole = role_of(best[0].get("role")) in ("system", "user")
    asked: list[Any] = [] if is_whole else need(document, "input.messages|conversations|messages|prompt", place, list)
    log = conversation_of(title, [*asked, *best])
    worse = as_list(pick(document, "non_preferred_output|rejected"))
    others = sum(role_of(dict_of(one).get("role")) in (None, "assistant") for one in worse)
    yield replace(log, notes=[*log.notes, f"{count(others, 'other answer')} left out"] if others else log.notes)
