"""Conversations of help desks: Intercom's, Zendesk's tickets, and Zendesk's chats."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.talks import Talk, find_time, take
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["is_zendesk", "read_intercom", "read_zendesk", "read_zendesk_chat"]

_BREAK = re.compile(r"<(?:br|/p|/div|/li|/h[1-6]|/tr)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def read_intercom(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a conversation, as the API gives a single one; notes of the desk are left out."""
    talk = Talk(str(document.get("title") or document.get("id") or title), str(document.get("id") or ""))
    listed = dict_of(document.get("conversation_parts"))
    parts = dicts_of(take(listed, "conversation_parts", "a conversation, as a list of the API has it,"))
    source = dict_of(document.get("source") or document.get("conversation_message"))
    first = source | {"part_type": "comment", "created_at": document.get("created_at")}
    for number, part in enumerate([first, *parts] if source.get("body") else parts):
        place = f"part {part.get('id', number)}"
        author, kind = dict_of(take(part, "author", place)), take(part, "part_type", place)
        is_user = take(author, "type", f"the author of {place}") in ("user", "lead", "contact")
        date = find_time(part, "created_at", place)
        if part.get("redacted") or kind in ("note", "note_and_reopen"):
            talk.leave_out("deleted message" if part.get("redacted") else "internal note")
        elif part.get("body") or kind == "comment":
            talk.say(author.get("name"), _plain(part.get("body") or ""), date, is_user=is_user)
        else:
            talk.leave_out("event")
    if (missing := int(listed.get("total_count") or 0) - len(parts)) > 0:
        talk.notes.append(f"{count(missing, 'part')} not in the file: the API gives 500 at most")
    yield talk.log()


def is_zendesk(item: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is a ticket with its comments, or the list of comments that the API gives."""
    comments = dicts_of(item.get("comments")) or dicts_of(dict_of(item.get("ticket")).get("comments"))
    return any({"author_id", "html_body", "plain_body"} & comment.keys() for comment in comments[:50])


def read_zendesk(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a ticket. The requester is the user, or else the author of the first comment."""
    ticket = dict_of(document.get("ticket")) or document
    talk = Talk(str(ticket.get("subject") or ticket.get("id") or title), str(ticket.get("id") or ""))
    names = {one.get("id"): one.get("name") for one in dicts_of(document.get("users"))}
    comments = dicts_of((document if "comments" in document else ticket)["comments"])
    requester = ticket.get("requester_id") or dict_of(ticket.get("requester")).get("id")
    for number, comment in enumerate(comments, start=1):
        place = f"comment {comment.get('id', number)}"
        author, date = take(comment, "author_id", place), find_time(comment, "created_at", place)
        requester = requester or author
        if take(comment, "public", place):
            name = names.get(author) or dict_of(comment.get("author")).get("name")
            words = comment.get("plain_body") or comment.get("body") or _plain(comment.get("html_body") or "")
            talk.say(name, words, date, is_user=author == requester)
        else:
            talk.leave_out("internal note")
    yield talk.log()


def read_zendesk_chat(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a chat of a visitor with agents."""
    talk = Talk(str(document.get("id") or title), str(document.get("id") or ""))
    for number, item in enumerate(dicts_of(document["history"]), start=1):
        place = f"entry {number}"
        date = find_time(item, "timestamp", place)
        if take(item, "type", place) == "chat.msg":
            is_user = str(take(item, "sender_type", place)).lower() == "visitor"
            talk.say(item.get("name"), item.get("msg"), date, is_user=is_user)
        else:
            talk.leave_out("event")
    yield talk.log()


def _plain(text: str) -> str:
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", text))).strip()
