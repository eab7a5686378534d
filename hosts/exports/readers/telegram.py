"""Reads Telegram Desktop's `result.json`, which has one chat or the whole account."""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, Unread
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.members import list_at, need, pick
from memzoo.hosts.messages import dict_of, dicts_of

_CHATS = (
    *("personal_chat", "bot_chat", "saved_messages", "private_group", "private_supergroup", "public_supergroup"),
    *("private_channel", "public_channel"),
)
_KINDS = ("media_type", "photo", "file", "location_information", "contact_information", "poll")


def is_chat(item: Mapping[str, Any]) -> bool:
    """Return whether an object is an exported chat."""
    signs = {"from_id", "date_unixtime", "actor_id"}
    is_named = item.get("type") in _CHATS and "messages" in item
    return is_named or any(signs & one.keys() for one in dicts_of(item.get("messages"))[:50])


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a chat. A chat between two people is named after one of them; the other one is the user."""
    yield _chat(document, str(document.get("name") or title), "")


def read_account(document: Mapping[str, Any], title: str) -> Iterator[Unread]:
    """Yield the chats of an account. The account's owner is the user."""
    owner = f"user{pick(document, 'personal_information.user_id', '')}"
    chats = list_at(document, "chats.list", "the account")
    for number, chat in enumerate([*chats, *dicts_of(pick(document, "left_chats.list"))], start=1):
        saved = "Saved Messages" if chat.get("type") == "saved_messages" else f"{title} {number}"
        name = str(chat.get("name") or saved)
        yield Unread(name, functools.partial(_chat, chat, name, owner))


def _chat(chat: Mapping[str, Any], title: str, owner: str) -> ChatLog:
    items = list_at(chat, "messages", "the chat")
    names = {item.get("from_id"): item["from"] for item in items if isinstance(item.get("from"), str)}

    def spell(item: Any, place: str) -> Any:
        if need(item, "type", place, str) != "message":
            return "service message"
        words, kind = _text(item.get("text"), place), next((kind for kind in _KINDS if kind in item), "")
        noun = str(item[kind] if kind == "media_type" else kind.removesuffix("_information")).replace("_", " ")
        if noun and not words:
            return noun
        files = [{"name": noun}] if noun else []
        # A deleted account has null for a name.
        is_deleted = "from" in item and item["from"] is None
        origin = f"Forwarded from {item['forwarded_from']}: " if words and item.get("forwarded_from") else ""
        return (
            item
            | {"text": origin + words, "sent": files}
            | ({"from": names.get(item.get("from_id"), "")} if is_deleted else {})
        )

    # The date has no zone, so a file with both has it only for people.
    date = "date_unixtime" if any("date_unixtime" in item for item in items) else "date"
    return replace(_FIELDS, date=date, entry=spell).read({**chat, "owner": owner}, title)


def _text(value: Any, place: str) -> str:
    """Return a text, which is a list of plain strings and of parts with a style where it has any."""
    parts: list[Any] = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    where = f"a part of {place}"
    return "".join(part if isinstance(part, str) else need(dict_of(part), "text", where, str) for part in parts).strip()


_FIELDS = Fields(
    name="from",
    text="text",
    title="name",
    conversation="id",
    owner="owner",
    speaker="from_id",
    people=True,
    attached=("sent",),
)
