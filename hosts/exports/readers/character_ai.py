"""Chats with the characters of character.ai, as its interface and browser extensions export them."""

from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.talks import Talk, find_time, take, take_list
from memzoo.hosts.messages import dict_of

__all__ = ["read", "read_histories"]


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield the chat, with the chosen version of each answer."""
    talk = Talk(title, str(document.get("chat_id") or ""))
    turns = take_list(document, "turns", "the file")
    # Only the turns of people have the mark.
    people = {author.get("name") for turn in turns if (author := dict_of(turn.get("author"))).get("is_human") is True}
    for number, turn in enumerate(turns, start=1):
        place = f"turn {number}"
        name = take(take(turn, "author", place, dict), "name", f"the author of {place}", str)
        date, versions = find_time(turn, "create_time", place), take_list(turn, "candidates", place)
        chosen = versions
        if len(versions) > 1:
            id_ = take(turn, "primary_candidate_id", place, str)
            chosen = [one for one in versions if one.get("candidate_id") == id_]
            if not chosen:
                raise TranscriptError(f"{place}: expected a version with the id {id_!r} in 'candidates'")
            talk.leave_out("other version", len(versions) - 1)
        talk.say(name, chosen[0].get("raw_content") if chosen else "", date, is_user=name in people)
    yield talk.log()


def read_histories(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield the chats with one character, in the form before 2024."""
    histories = take_list(take(document, "histories", "the file", dict), "histories", "'histories'")
    for number, chat in enumerate(histories, start=1):
        talk = Talk(f"{title} {number}", str(chat.get("external_id") or ""))
        for place, item in enumerate(take_list(chat, "msgs", f"chat {number}"), start=1):
            where = f"message {place} of chat {number}"
            source, date = take(item, "src", where, dict), find_time(item, "created", where)
            is_user = take(source, "is_human", f"'src' of {where}", bool)
            talk.say(take(source, "name", f"'src' of {where}", str), item.get("text"), date, is_user=is_user)
        yield talk.log()
