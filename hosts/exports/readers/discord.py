"""Reads Discord channels that DiscordChatExporter has saved as JSON."""

from typing import Any

from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.messages import dicts_of

_NOTICES = (
    *("RecipientAdd", "RecipientRemove", "Call", "ChannelNameChange", "ChannelIconChange", "ChannelPinnedMessage"),
    *("GuildMemberJoin", "ThreadCreated"),
)


def _with_embeds(entry: Any, _: str) -> Any:
    """Return a message with the words of a program's embeds, which are shown like words, often in place of words."""
    embedded = (one.get(key) for one in dicts_of(entry.get("embeds")) for key in ("title", "description"))
    return entry if entry.get("content") else entry | {"content": "\n".join(filter(None, embedded))}


FIELDS = Fields(
    messages="messages",
    role="author.isBot",
    text="content",
    date="timestamp",
    name="author.nickname|author.name",
    title="channel.name",
    conversation="channel.id",
    roles={"True": "assistant", "False": "person"},
    left_out={"type": dict.fromkeys(_NOTICES, "notice")},
    people=True,
    attached=("attachments", "stickers"),
    entry=_with_embeds,
)
