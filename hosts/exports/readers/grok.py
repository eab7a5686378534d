"""Reads Grok's export of an account, `prod-grok-backend.json`, faster than `Fields` could."""

import functools
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.members import date_at, need, pick, role_at
from memzoo.hosts.exports.trees import tree_of
from memzoo.stores import Message

_ROLES = {"grok": "assistant"}
_CARD = re.compile(
    r'<grok:render\b[^<>]{0,300}>\s*+(?:<argument name="[^"<>]{0,60}">[^<]{0,2000}</argument>\s*+)*</grok:render>'
)
"""A mark in an answer for which the page shows a sign, such as that of a citation, or a picture."""


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations of an export. If there are several branches, only the one that Grok shows is read."""
    for place, talk in enumerate(document["conversations"], start=1):
        about = need(talk, "conversation", f"conversation {place}")
        name, key = str(pick(about, "title|id") or f"{title} {place}"), str(about.get("id") or "")
        answers = [one.get("response", one) for one in need(talk, "responses", name, list)]
        said = {str(one.get("_id", number)): _said(one, number) for number, one in enumerate(answers, start=1)}
        if any("parent_response_id" in one for one in answers):
            parents = {
                id_: _parent(one, id_, message["role"])
                for (id_, (message, _)), one in zip(said.items(), answers, strict=True)
            }
            yield tree_of(name, parents, functools.partial(_at, said), shown=about.get("leaf_response_id"), id=key)
        else:
            yield ChatLog.of(name, said.values(), id=key, sort=True)


def _parent(one: Any, id_: str, role: str) -> str | None:
    """Return the id of the response before; only what a user says can be the first."""
    parent = one.get("parent_response_id") if role == "user" else need(one, "parent_response_id", f"message {id_!r}")
    return str(parent) if parent else None


def _at(said: dict[str, tuple[Message, datetime | None]], id_: str) -> list[tuple[Message, datetime | None]]:
    return [said[id_]]


def _said(one: Any, number: int) -> tuple[Message, datetime | None]:
    place = f"message {number}"
    message = {"role": role_at(one, "sender", place, _ROLES), "content": one.get("message") or ""}
    if message["role"] == "assistant" and isinstance(message["content"], str):
        message["content"] = _CARD.sub("", message["content"])
    return message, date_at(one, "create_time", place)
