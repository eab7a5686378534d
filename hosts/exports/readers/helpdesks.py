"""Reads exports of two help desks: Intercom conversations and Zendesk tickets."""

from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, count
from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.html import words_of
from memzoo.hosts.exports.members import list_at, need, pick
from memzoo.hosts.messages import dict_of, dicts_of


def read_intercom(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a conversation from Intercom's API. Internal notes are left out."""
    listed = dict_of(document.get("conversation_parts"))
    parts = list_at(listed, "conversation_parts", "a conversation, as a list of the API has it,")
    # The first message, which older versions call conversation_message.
    key = "conversation_message" if "conversation_message" in document else "source"
    source, time = need(document, key, "the conversation", dict), need(document, "created_at", "the conversation")
    need(source, "body", f"{key!r}")
    missing = int(listed.get("total_count") or 0) - len(parts)
    notes = [f"{count(missing, 'part')} not in the file: the API gives 500 at most"] if missing > 0 else []
    first = source | {"part_type": "comment", "created_at": time}
    yield _INTERCOM.read({**document, "parts": [first, *parts]}, title, notes=notes)


def _part(part: Any, place: str) -> Any:
    if part.get("redacted"):
        return "deleted message"
    is_said = need(part, "part_type", place, str) == "comment" or part.get("body")
    return part | {"body": words_of(part.get("body") or "")} if is_said else "event"


_INTERCOM = Fields(
    messages="parts",
    role="author.type",
    text="body",
    date="created_at",
    name="author.name?",
    title="title|id",
    conversation="id",
    roles=dict.fromkeys(("lead", "contact"), "user") | dict.fromkeys(("admin", "team", "workflow", "api"), "assistant"),
    left_out={"part_type": dict.fromkeys(("note", "note_and_reopen"), "internal note")},
    people=True,
    attached=("attachments",),
    entry=_part,
)


def is_zendesk(item: Mapping[str, Any]) -> bool:
    """Return whether an object has comments in the form of Zendesk's API, by itself or in its ticket."""
    comments = dicts_of(pick(item, "comments|ticket.comments"))
    return any({"author_id", "html_body", "plain_body"} & comment.keys() for comment in comments[:50])


def read_zendesk(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield a ticket as a conversation. The requester is the user; without one, the author of the first comment is."""
    ticket = dict_of(document.get("ticket")) or document
    names = {one.get("id"): one.get("name") for one in dicts_of(document.get("users"))}
    comments = list_at(document if "comments" in document else ticket, "comments", "the ticket")
    told = [
        one
        | ({"author": one.get("author") or {"name": names.get(one.get("author_id"))}})
        | {"body": one.get("plain_body") or one.get("body") or words_of(one.get("html_body") or "")}
        for one in comments
    ]
    requester = pick(ticket, "requester_id|requester.id") or (need(told[0], "author_id", "message 1") if told else None)
    notes = [] if names else ["the speakers have no names, because the file has no 'users'"]
    yield _ZENDESK.read({**ticket, "comments": told, "requester": requester}, title, notes=notes)


_ZENDESK = Fields(
    messages="comments",
    role="",
    text="body",
    date="created_at",
    name="author.name?",
    title="subject|id",
    conversation="id",
    left_out={"public": {"True": "", "*": "internal note"}},
    owner="requester",
    speaker="author_id",
    people=True,
    attached=("attachments",),
)
