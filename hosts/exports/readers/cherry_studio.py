"""Reads Cherry Studio's backup: `data.json` in the ZIP of a backup."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count, mark_of
from memzoo.hosts.exports.fields import date_at, need, role_at, text_at
from memzoo.stores import Message

__all__ = ["read"]

_WORDS = ("main_text", "code")
_FILES = ("image", "file", "video")


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the topics of a backup; words are in blocks apart from the messages.

    Of several models' answers to a question, the chosen one is read, else the first.
    """
    base = document["indexedDB"]
    blocks = {block["id"]: block for block in base.get("message_blocks") or ()}
    for place, topic in enumerate(base["topics"], start=1):
        name = str(topic.get("name") or topic.get("id") or f"{title} {place}")
        messages = [one for one in need(topic, "messages", name) if one.get("type") != "clear"]
        key, chosen = str(topic.get("id") or ""), dict[tuple[bool, str], Any]()
        for one in messages:
            is_answer = one.get("role") == "assistant"
            asked = (is_answer and text_at(one, "askId", name)) or str(need(one, "id", name))
            answers = (is_answer, asked)
            is_chosen = mark_of(one, "foldSelected", f"message {asked!r}")
            if answers not in chosen or (is_chosen and not chosen[answers].get("foldSelected")):
                chosen[answers] = one
        others = len(messages) - len(chosen)
        notes = [f"{count(others, 'other answer')} of several models left out"] if others else []
        answered = [one.get("askId") for one in messages if one.get("role") == "assistant"]
        if lost := answered.count(None) if any(answered) else 0:
            notes.append(f"{count(lost, 'answer')} without the id of the question ('askId')")
        yield ChatLog.of(name, [_said(one, blocks, n) for n, one in enumerate(chosen.values(), start=1)], notes, id=key)


def _said(one: Any, blocks: dict[str, Any], number: int) -> tuple[Message, datetime | None]:
    role = role_at(one, "role", number)
    date = date_at(one, "createdAt", number)
    found = [blocks[id_] for id_ in one.get("blocks") or () if id_ in blocks]
    texts = [text_at(block, "content", number) for block in found if block["type"] in _WORDS]
    texts += [f"[{block['type']}]" for block in found if block["type"] in _FILES]
    # Before version 1.2, a message had its words itself.
    return {"role": role, "content": "\n".join(texts) or one.get("content") or ""}, date
