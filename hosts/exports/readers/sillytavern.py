"""SillyTavern's chats: JSON Lines, with the settings of the chat on the first."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from memzoo.errors import TranscriptError
from memzoo.hosts.exports.chat_log import ChatLog, date_of
from memzoo.hosts.exports.talks import Talk, take
from memzoo.hosts.messages import dict_of

__all__ = ["is_chat", "read"]

_NUMBERS = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s")


def is_chat(items: Sequence[Any]) -> bool:
    """Return whether the first lines are those of a chat."""
    first = dict_of(items[0]) if items else {}
    return "chat_metadata" in first or {"user_name", "character_name"} <= first.keys()


def read(items: Sequence[Any], title: str) -> Iterator[ChatLog]:
    """Yield the chat with the shown version of each message. Older times have no zone, and are given as if in UTC."""
    talk = Talk(title)
    for number, item in enumerate(map(dict_of, items[1:]), start=2):
        place = f"line {number}"
        name, is_user = take(item, "name", place, str), take(item, "is_user", place, bool)
        date = _time(take(item, "send_date", place, object), place)
        if item.get("is_system"):
            talk.leave_out("hidden message")
            continue
        if others := len(item.get("swipes") or ()) - 1:
            talk.leave_out("other version", max(others, 0))
        talk.say(name, item.get("mes"), date, is_user=is_user)
    yield talk.log()


def _time(value: Any, place: str) -> datetime:
    """Return a time in the form of one of SillyTavern's versions."""
    if (found := date_of(value)) and found.year >= 2020:  # noqa: PLR2004 - the application's first year is 2023
        return found
    if numbers := _NUMBERS.match(str(value)):
        value = "{}-{:0>2}-{:0>2} {:0>2}:{:0>2}:{:0>2}".format(*numbers.groups())
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    try:
        return datetime.strptime(str(value), "%B %d, %Y %I:%M%p").replace(tzinfo=UTC)
    except ValueError as error:
        raise TranscriptError(f"{place}: expected a time at 'send_date', not {value!r:.60}") from error
