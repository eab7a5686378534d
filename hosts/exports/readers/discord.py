"""Discord, as DiscordChatExporter writes a channel in JSON."""

from collections.abc import Iterator, Mapping
from typing import Any

from memzoo.hosts.exports.chat_log import ChatLog, mark_of
from memzoo.hosts.exports.talks import Talk, find_time, take, take_list
from memzoo.hosts.messages import dict_of, dicts_of

__all__ = ["read"]

_NOTICES = (
    *("RecipientAdd", "RecipientRemove", "Call", "ChannelNameChange", "ChannelIconChange", "ChannelPinnedMessage"),
    *("GuildMemberJoin", "ThreadCreated"),
)


def read(document: Mapping[str, Any], title: str) -> Iterator[ChatLog]:
    """Yield the channel. Bots are assistants; a direct channel is named after the other person."""
    channel = dict_of(document.get("channel"))
    name = channel.get("name")
    is_direct = str(channel.get("type")).startswith("Direct")
    talk = Talk(str(name or title), str(channel.get("id") or ""))
    items = take_list(document, "messages", "the file")
    people = [dict_of(item.get("author")) for item in items]
    nicknames = {one.get("id"): one["nickname"] for one in people if one.get("nickname")}
    for number, item in enumerate(items, start=1):
        place = f"message {item.get('id', number)}"
        author, date = take(item, "author", place, dict), find_time(item, "timestamp", place)
        nickname = mark_of(author, "nickname", f"the author of {place}", str) or nicknames.get(author.get("id"))
        nickname = nickname or take(author, "name", f"the author of {place}", str)
        is_bot = take(author, "isBot", f"the author of {place}", bool)
        if take(item, "type", place, str) in _NOTICES:
            talk.leave_out("notice")
            continue
        # A program's embeds are shown like words, often in place of words.
        embedded = (one.get(key) for one in dicts_of(item.get("embeds")) for key in ("title", "description"))
        words = item.get("content") or "\n".join(filter(None, embedded))
        is_other = is_bot or (is_direct and name in (nickname, author.get("name")))
        talk.say(nickname, words, date, is_user=False if is_other else None)
    yield talk.log()
