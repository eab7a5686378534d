"""Chats with the characters of character.ai, as its interface and extensions of browsers give them."""

from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.talks import Talk, find_time, take
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["read", "read_histories"]


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield the chat, with the chosen version of each answer."""
    talk = Talk(title, str(document.get("chat_id") or ""))
    for number, turn in enumerate(dicts_of(document["turns"]), start=1):
        place = f"turn {number}"
        author, date = dict_of(take(turn, "author", place)), find_time(turn, "create_time", place)
        versions = dicts_of(take(turn, "candidates", place))
        chosen = next((one for one in versions if one.get("candidate_id") == turn.get("primary_candidate_id")), None)
        if len(versions) > 1:
            talk.leave_out("other version", len(versions) - 1)
        words = dict_of(chosen or next(iter(versions), None)).get("raw_content")
        # Only the turns of people have the mark.
        talk.say(take(author, "name", f"the author of {place}"), words, date, is_user=bool(author.get("is_human")))
    yield talk.log()


def read_histories(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield the chats with one character, in the form before 2024."""
    for number, chat in enumerate(dicts_of(document["histories"]["histories"]), start=1):
        talk = Talk(f"{title} {number}", str(chat.get("external_id") or ""))
        for place, item in enumerate(dicts_of(take(chat, "msgs", f"chat {number}")), start=1):
            where = f"message {place} of chat {number}"
            source, date = dict_of(take(item, "src", where)), find_time(item, "created", where)
            is_user = bool(take(source, "is_human", f"'src' of {where}"))
            talk.say(source.get("name"), item.get("text"), date, is_user=is_user)
        yield talk.log()
