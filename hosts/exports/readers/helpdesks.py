"""Conversations of help desks: Intercom's, Zendesk's tickets, and Zendesk's chats."""

from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.html import words_of
from memzoo.hosts.exports.talks import Talk, find_time, take, take_list
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["is_zendesk", "read_intercom", "read_zendesk", "read_zendesk_chat"]

_CUSTOMERS = ("user", "lead", "contact", "visitor")
_DESK = ("admin", "bot", "team", "operator", "workflow", "api")


def read_intercom(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a conversation, as the API gives a single one; notes of the desk are left out."""
    talk = Talk(str(document.get("title") or document.get("id") or title), str(document.get("id") or ""))
    listed = dict_of(document.get("conversation_parts"))
    parts = take_list(listed, "conversation_parts", "a conversation, as a list of the API has it,")
    # The first message, which older versions call conversation_message.
    key = "conversation_message" if "conversation_message" in document else "source"
    source = take(document, key, "the conversation", dict)
    time = take(document, "created_at", "the conversation", object)
    take(source, "body", f"{key!r}", object)
    for number, part in enumerate([source | {"part_type": "comment", "created_at": time}, *parts]):
        place = f"part {part.get('id', number)}"
        author, kind = take(part, "author", place, dict), take(part, "part_type", place, str)
        who = take(author, "type", f"the author of {place}", str)
        if who not in (*_CUSTOMERS, *_DESK):
            raise TranscriptError(f"the author of {place} is of the type {who!r}, which is not known")
        date = find_time(part, "created_at", place)
        if part.get("redacted") or kind in ("note", "note_and_reopen"):
            talk.leave_out("deleted message" if part.get("redacted") else "internal note")
        elif part.get("body") or kind == "comment":
            talk.say(_name(author), words_of(part.get("body") or ""), date, is_user=who in _CUSTOMERS)
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
    names = {one.get("id"): _name(one) for one in dicts_of(document.get("users"))}
    if not names:
        talk.notes.append("the people have no names, because the file has no users")
    comments = take_list(document if "comments" in document else ticket, "comments", "the ticket")
    requester = ticket.get("requester_id") or dict_of(ticket.get("requester")).get("id")
    for number, comment in enumerate(comments, start=1):
        place = f"comment {comment.get('id', number)}"
        author, date = take(comment, "author_id", place, int), find_time(comment, "created_at", place)
        requester = requester or author
        if take(comment, "public", place, bool):
            name = names.get(author) or _name(dict_of(comment.get("author")))
            words = comment.get("plain_body") or comment.get("body") or words_of(comment.get("html_body") or "")
            talk.say(name, words, date, is_user=author == requester)
        else:
            talk.leave_out("internal note")
    yield talk.log()


def read_zendesk_chat(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a chat of a visitor with agents."""
    talk = Talk(str(document.get("id") or title), str(document.get("id") or ""))
    for number, item in enumerate(take_list(document, "history", "the chat"), start=1):
        place = f"entry {number}"
        date = find_time(item, "timestamp", place)
        if take(item, "type", place, str) == "chat.msg":
            who = take(item, "sender_type", place, str)
            talk.say(_name(item), item.get("msg"), date, is_user=who.lower() == "visitor")
        else:
            talk.leave_out("event")
    yield talk.log()


def _name(person: Mapping[str, Any]) -> str:
    # Visitors may have none.
    return take(person, "name", "a person", str) if person.get("name") else ""
