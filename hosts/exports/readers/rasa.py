"""Rasa's trackers: the events of a conversation."""

from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.talks import Talk, find_time, take, take_list

__all__ = ["read"]


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield the conversation of a tracker."""
    talk = Talk(str(document.get("sender_id") or title))
    for number, event in enumerate(take_list(document, "events", "the tracker"), start=1):
        kind = take(event, "event", f"event {number}", str)
        if kind in ("user", "bot"):
            talk.say("", event.get("text"), find_time(event, "timestamp", f"event {number}"), is_user=kind == "user")
    yield talk.log()
