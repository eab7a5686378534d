"""Reads Slack's export: `users.json`, and for each channel a folder with one file per day."""

import functools
import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog, Unread, count
from memzoo.hosts.exports.files import parse
from memzoo.hosts.exports.members import date_at, list_at, mark_of, need, pick
from memzoo.hosts.exports.talks import Talk
from memzoo.hosts.messages import dicts_of

_LISTS = ("channels.json", "groups.json", "dms.json", "mpims.json")
_SPOKEN = (None, "bot_message", "me_message", "thread_broadcast", "reply_broadcast", "file_share", "file_comment")
_NAMES = "profile.display_name|profile.real_name|real_name|name"
_MARK = re.compile(r"<([^<>|]{1,2000})(?:\|([^<>]{0,2000}))?>")


def is_folder(names: Iterable[str]) -> bool:
    """Return whether the names in a folder are those of Slack's export."""
    return "users.json" in names and not set(_LISTS).isdisjoint(names)


def read(folder: Any, _title: str) -> Iterator[Unread]:
    """Yield the channels in the folder of an export."""
    people = dicts_of(_parse(folder / "users.json"))
    names = {one.get("id"): pick(one, _NAMES) or "" for one in people}
    bots = {one.get("id") for one in people if one.get("is_bot")}
    # The folder of a talk between two has its id as name.
    listed = dicts_of(_parse(folder / "dms.json")) if (folder / "dms.json").exists() else []
    pairs = {one.get("id"): ", ".join(names.get(id_) or str(id_) for id_ in one.get("members") or ()) for one in listed}
    for channel in sorted((one for one in folder.iterdir() if one.is_dir()), key=lambda one: one.name):
        if days := sorted((one for one in channel.iterdir() if one.name.endswith(".json")), key=lambda one: one.name):
            name = pairs.get(channel.name) or channel.name
            yield Unread(name, functools.partial(_of_days, name, days, names, bots))


def _of_days(title: str, days: Iterable[Any], names: Mapping[Any, str], bots: set[Any]) -> ChatLog:
    items = ((f"message {n} of {day.name}", item) for day in days for n, item in enumerate(_items(day), start=1))
    return _channel(title, items, names, bots)


def read_day(items: Any, title: str) -> Iterator[ChatLog]:
    """Yield the talk in one day's file. Speakers are named by their ids; only `users.json` has their names."""
    log = _channel(title, ((f"message {n}", item) for n, item in enumerate(items, start=1)), {}, set())
    yield replace(log, notes=[*log.notes, "people are named by their ids, because users.json is in the folder above"])


def _channel(
    title: str, items: Iterable[tuple[str, Mapping[str, Any]]], names: Mapping[Any, str], bots: set[Any]
) -> ChatLog:
    talk, threads = Talk(title), 0
    for place, item in items:
        date = date_at(item, "ts", place)
        if mark_of(item, "subtype", place) not in _SPOKEN:
            talk.leave_out("notice")
            continue
        shown = pick(item, "username|bot_profile.name")
        user = pick(item, "user|bot_id|comment.user") or shown or need(item, "user", place, str)
        is_bot = bool(item.get("bot_id")) or user in bots
        own = names.get(user) or pick(item, "user_profile.real_name")
        name = (shown or own if is_bot else own or shown) or str(user)
        threads += item.get("thread_ts", item["ts"]) != item["ts"]
        attached = (
            "\n".join(filter(None, map(one.get, ("pretext", "title", "text")))) or one.get("fallback")
            for one in dicts_of(item.get("attachments"))
        )
        words = item.get("text") or "\n".join(filter(None, attached))
        words = _shown(words, names).strip()
        sent = [{"type": "file", "filename": str(one.get("name") or "file")} for one in dicts_of(item.get("files"))]
        talk.say(name, [words, *sent] if words and sent else words, date, is_user=False if is_bot else None)
    if threads:
        talk.notes.append(f"{count(threads, 'answer')} in threads sorted by time among the messages")
    return talk.log()


def _parse(path: Any) -> Any:
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, KeyError, ValueError) as error:
        raise TransferError(f"{path.name} cannot be read: {error}") from error


def _items(path: Any) -> list[dict[str, Any]]:
    return list_at({path.name: _parse(path)}, path.name, "the channel")


def _shown(text: str, names: Mapping[Any, str]) -> str:
    """Return a text as Slack shows it, with names in place of the marks of people, channels and links."""

    def show(mark: re.Match[str]) -> str:
        target, label = mark[1], mark[2]
        match target[0]:
            case "@":
                return f"@{label or names.get(target[1:]) or target[1:]}"
            case "#":
                return f"#{label or target[1:]}"
            case "!":
                return label or f"@{target[1:].partition('^')[0]}"
            case _:
                return label or target

    return html.unescape(_MARK.sub(show, text))
