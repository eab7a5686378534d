"""Telegram Desktop's `result.json`, of one chat or of the whole account."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, Unread
from memzoo.hosts.exports.talks import Talk, find_time, take, take_list
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["is_chat", "read", "read_account"]

_CHATS = (
    *("personal_chat", "bot_chat", "saved_messages", "private_group", "private_supergroup", "public_supergroup"),
    *("private_channel", "public_channel"),
)
_KINDS = ("media_type", "photo", "file", "location_information", "contact_information", "poll")


def is_chat(item: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is an exported chat."""
    signs = {"from_id", "date_unixtime", "actor_id"}
    is_named = item.get("type") in _CHATS and "messages" in item
    return is_named or any(signs & one.keys() for one in dicts_of(item.get("messages"))[:50])


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a chat. A chat with one person is named after that person, so the other is the user."""
    yield _chat(document, str(document.get("name") or title), None)


def read_account(document: Mapping[str, Any], title: str) -> Iterator[Unread]:
    """Yield the chats of an account, whose owner is the user."""
    owner = dict_of(document.get("personal_information")).get("user_id")
    chats = take_list(take(document, "chats", "the account", dict), "list", "'chats'")
    for number, chat in enumerate([*chats, *dicts_of(dict_of(document.get("left_chats")).get("list"))], start=1):
        saved = "Saved Messages" if chat.get("type") == "saved_messages" else f"{title} {number}"
        name = str(chat.get("name") or saved)
        yield Unread(name, functools.partial(_chat, chat, name, owner))


def _chat(chat: Mapping[str, Any], title: str, owner: Any) -> ChatLog:
    talk = Talk(title, str(chat.get("id") or ""))
    is_pair = chat.get("type") in ("personal_chat", "bot_chat")
    items = take_list(chat, "messages", "the chat")
    names = {item.get("from_id"): item["from"] for item in items if isinstance(item.get("from"), str)}
    # The date has no zone, so a file with both has it only for people.
    time = "date_unixtime" if any("date_unixtime" in item for item in items) else "date"
    for number, item in enumerate(items, start=1):
        place = f"message {item.get('id', number)}"
        if take(item, "type", place, str) != "message":
            talk.leave_out("service message")
            continue
        # A deleted account has null for a name.
        is_deleted = "from" in item and item["from"] is None
        name = names.get(item.get("from_id"), "") if is_deleted else take(item, "from", place, str)
        words = _text(item.get("text"), place)
        date = find_time(item, time, place)
        is_user = None
        if owner is not None:
            is_user = take(item, "from_id", place, str).removeprefix("user") == str(owner)
        elif is_pair and (name == chat.get("name") or item.get("from_id") == f"user{chat.get('id')}"):
            is_user = False
        if words or not (kind := next((kind for kind in _KINDS if kind in item), None)):
            origin = f"Forwarded from {item['forwarded_from']}: " if words and item.get("forwarded_from") else ""
            talk.say(name, origin + words, date, is_user=is_user)
        else:
            noun = item[kind] if kind == "media_type" else kind.removesuffix("_information")
            talk.leave_out(str(noun).replace("_", " "))
    return talk.log()


def _text(value: Any, place: str) -> str:
    """Return a text, which is a list of plain strings and of parts with a style where it has any."""
    parts: list[Any] = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    where = f"a part of {place}"
    return "".join(part if isinstance(part, str) else take(dict_of(part), "text", where, str) for part in parts).strip()
