"""Reads Cherry Studio's backup: the file `data.json` in its ZIP."""

from collections.abc import Iterator
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import list_at, mark_of, need, pick, text_at

_FIELDS = Fields(date="createdAt", title="name|id", conversation="id")
_WORDS = ("main_text", "code")
_FILES = ("image", "file", "video")


def read(document: Any, title: str) -> Iterator[ChatLog]:
    """Yield the conversations ("topics") of a backup.

    If several models answered a question, only the answer that the user chose is read. If the user chose none, the
    first answer is read.
    """
    base = document["indexedDB"]
    blocks = {block["id"]: block for block in base.get("message_blocks") or ()}
    for place, topic in enumerate(base["topics"], start=1):
        name = str(pick(topic, "name|id") or f"{title} {place}")
        messages = [one for one in list_at(topic, "messages", name) if one.get("type") != "clear"]
        chosen = dict[tuple[bool, str], Any]()
        for one in messages:
            is_answer = one.get("role") == "assistant"
            asked = (is_answer and text_at(one, "askId", name)) or str(need(one, "id", name))
            is_chosen = mark_of(one, "foldSelected", f"message {asked!r}")
            if (is_answer, asked) not in chosen or (is_chosen and not chosen[is_answer, asked].get("foldSelected")):
                chosen[is_answer, asked] = one
        others = len(messages) - len(chosen)
        notes = [f"{count(others, 'other answer')} of several models left out"] if others else []
        answered = [one.get("askId") for one in messages if one.get("role") == "assistant"]
        if lost := answered.count(None) if any(answered) else 0:
            notes.append(f"{count(lost, 'answer')} without the id of the question ('askId')")
        told = [one | {"content": _words(one, blocks, name)} for one in chosen.values()]
        yield _FIELDS.read(topic | {"messages": told}, name, notes=notes)


def _words(one: Any, blocks: dict[str, Any], place: str) -> str:
    found = [blocks[id_] for id_ in one.get("blocks") or () if id_ in blocks]
    texts = [text_at(block, "content", place) for block in found if block["type"] in _WORDS]
    texts += [f"[{block['type']}]" for block in found if block["type"] in _FILES]
    # Before version 1.2, a message had its words itself.
    return "\n".join(texts) or one.get("content") or ""
