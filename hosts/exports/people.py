"""The forms of applications in which people talk to each other."""

import re
from collections.abc import Callable

from memzoo.hosts.exports.fields import Fields
from memzoo.hosts.exports.form import Form, having
from memzoo.hosts.exports.readers import (
    chatlab,
    discord,
    helpdesks,
    imessage,
    messenger,
    signal,
    slack,
    subtitles,
    telegram,
    whatsapp,
)

__all__ = ["FORMS"]

_ZOOM = re.compile(r"\s*\d\d:\d\d:\d\d\s+From ")
_META = "In Meta's Accounts Center: Your information and permissions, Export your information; choose JSON."
_NO_ZONE = "times have no zone, and are taken as UTC"


def _in(*words: str) -> Callable[[str], bool]:
    """Return a test of texts: all words stand at the beginning, in the first 4,000 characters."""
    return lambda head: all(word in head for word in words)


FORMS = (
    Form(
        *("Signal", "folder", {"data.json", "chat.md"}.issubset, signal.read_folder),
        known=f"signal-export 3.9; {_NO_ZONE}",
        get="Run signal-export on a computer with Signal Desktop.",
    ),
    Form(
        *("Signal, data.json", "list", having("quote", "sticker", "reactions", "attachments"), signal.FIELDS),
        known="signal-export 3.9",
        get="As above.",
    ),
    Form(
        *("Signal, chat.md", "text", signal.is_text, signal.read_text),
        known="signal-export 3.9; older exports have no seconds",
        get="As above.",
    ),
    Form(
        *("WhatsApp", "text", whatsapp.is_text, whatsapp.read),
        known=(
            "Android and iOS of 2026; U+202F stands before PM, and the order of day and month is that of the phone's "
            f"language, told from the file where it can be; else guessed, with a note; {_NO_ZONE}"
        ),
        get="In the chat: More, Export chat, Without media.",
    ),
    Form(
        *("WhatsApp, iOS", "folder", lambda names: "_chat.txt" in names, whatsapp.read),
        known="iOS of 2026: a ZIP with _chat.txt; all words of WhatsApp's own begin with U+200E",
        get="In the chat: the contact's name, Export chat.",
    ),
    Form(
        *("Telegram", "object", telegram.is_chat, telegram.read),
        known="result.json of 2025; a text is a list where a part has a style; deleted accounts have no name",
        get="In Telegram Desktop, in the chat: Export chat history; choose JSON.",
    ),
    Form(
        *("Telegram, account", "object", having("chats.list"), telegram.read_account),
        known="result.json of 2025",
        get="In Telegram Desktop: Settings, Advanced, Export Telegram data; choose JSON.",
    ),
    Form(
        *("Telegram, HTML", "text", _in("Exported Data", "page_header"), "export the chat again, as JSON"),
        known="messages.html of Telegram Desktop of 2025",
        get="See Telegram.",
    ),
    Form(
        *("Telegram, folder of HTML", "folder", lambda names: "messages.html" in names and "result.json" not in names),
        read="export the chat again, as JSON",
        known="messages.html of Telegram Desktop of 2025",
        get="See Telegram.",
    ),
    Form(
        *("Discord", "object", having("guild", "channel", "messages"), discord.FIELDS),
        known="DiscordChatExporter of 2026; notices stand among the messages, with types of their own",
        get="Run DiscordChatExporter with `--format Json`.",
    ),
    Form(
        *("Discord, HTML", "text", _in("DiscordChatExporter"), "export the channel again, with `--format Json`"),
        known="DiscordChatExporter of 2026",
        get="See Discord.",
    ),
    Form(
        *("Slack", "folder", slack.is_folder, slack.read),
        known="the export of 2026; words can stand in attachments alone, and people in users.json alone",
        get="Workspace settings, Import and export data, Export.",
    ),
    Form(
        *("Slack, one day", "list", having("ts", "type", "text"), slack.read_day),
        known="a file of the export of 2026",
        get="Give the folder of the export, where users.json is.",
    ),
    Form(
        *("Messenger and Instagram", "folder", messenger.is_folder, messenger.read_folder),
        known="Meta's download of 2026: newest first, and each byte of UTF-8 as a character; 10,000 messages a file",
        get=_META,
    ),
    Form(
        *("Messenger and Instagram, one file", "object", messenger.is_chat, messenger.read),
        known="message_1.json of 2026, which can be one of several files",
        get=_META,
    ),
    Form(
        *("Messenger, end-to-end encrypted", "object", having("threadName", "messages"), messenger.read_encrypted),
        known="the download of 2026, which is apart from the other one and in sound UTF-8",
        get="At messenger.com/secure_storage/dyi.",
    ),
    Form(
        *("Messenger and Instagram, HTML", "text", _in("<html", "_a6-g"), "order the download again, as JSON"),
        known="message_1.html of 2026",
        get=_META,
    ),
    Form(
        *("Messenger and Instagram, folder of HTML", "folder"),
        recognise=lambda names: "message_1.html" in names and "message_1.json" not in names,
        read="order the download again, as JSON",
        known="message_1.html of 2026",
        get=_META,
    ),
    Form(
        *("iMessage", "text", imessage.is_text, imessage.read),
        known=f"imessage-exporter of 2024 and 2026; a reply stands twice in the file; {_NO_ZONE}",
        get="Run imessage-exporter with `--format txt` on a Mac.",
    ),
    Form(
        *("ChatLab", "object", having("chatlab", "messages"), chatlab.FIELDS),
        known="version 0.0.2 of the form, from exporters of iMessage, WeChat, QQ and others",
        get="See your exporter.",
    ),
    Form(
        *("ChatLab, JSON Lines", "list", lambda items: having("chatlab", _type="header")(items[:1])),
        read=chatlab.read_lines,
        known="version 0.0.2 of the form",
        get="See your exporter.",
    ),
    Form(
        *("meeting, WebVTT", "text", lambda head: head.lstrip("\ufeff").startswith("WEBVTT"), subtitles.read),
        known="Teams and Zoom of 2026; what one person says in a row is cut into cues of some seconds",
        get="Teams: Recap, Transcript, Download as .vtt. Zoom: Recordings, Audio transcript.",
    ),
    Form(
        *("Zoom's chat.txt", "text", lambda head: bool(_ZOOM.match(head)), "give the .vtt of the recording"),
        known="chat.txt or meeting_saved_chat.txt of 2026",
        get="See meeting, WebVTT.",
    ),
    Form(
        *("SillyTavern", "list"),
        recognise=lambda lines: having("chat_metadata")(lines[:1]) or having("user_name", "character_name")(lines[:1]),
        read=Fields(
            *("", "is_user", "mes", "send_date", "name", "", ""),
            roles={"True": "user", "False": "assistant"},
            left_out={"character_name|chat_metadata": None, "is_system": "hidden message"},
            versions="swipes?",
            version="swipe_id",
            people=True,
        ),
        known=(
            "the form of 2026, and older spellings of times; the names on the first line can be placeholders; hidden "
            "messages have is_system"
        ),
        get="The files in data/default-user/chats, or Manage chat files, Export.",
    ),
    Form(
        *("character.ai", "object", having("turns.0.candidates")),
        read=Fields(
            *("turns", "author.is_human", "raw_content", "create_time", "author.name", "", "chat_id"),
            roles={"True": "user", "None": "assistant"},
            versions="candidates",
            version="primary_candidate_id",
            version_id="candidate_id",
            people=True,
        ),
        known="the interface of 2026: newest first; only people's turns say whose they are",
        get="An extension of the browser.",
    ),
    Form(
        *("character.ai, histories", "object", having("histories.histories")),
        read=Fields(
            *("msgs", "src.is_human", "text", "created", "src.name", "", "external_id"),
            roles={"True": "user", "False": "assistant"},
            people=True,
            each="histories.histories",
        ),
        known="dumps of characterai-dumper and the like, before 2024",
        get="An extension of the browser.",
    ),
    Form(
        *("Rasa", "object", having("sender_id", "events")),
        read=Fields(
            *("events", "event", "text", "timestamp"),
            title="sender_id",
            conversation="",
            roles={"*": ""},
        ),
        known="trackers of Rasa 3",
        get="`GET /conversations/ID/tracker`.",
    ),
    Form(
        *("Intercom", "object", having("conversation_parts"), helpdesks.read_intercom),
        known="versions 1 and 2 of the API; the first message is in source, and only single conversations have parts",
        get="`GET /conversations/ID`.",
    ),
    Form(
        *("Zendesk", "object", helpdesks.is_zendesk, helpdesks.read_zendesk),
        known="the API of 2026; internal notes have public: false",
        get="`GET /api/v2/tickets/ID/comments.json?include=users`.",
    ),
    Form(
        *("Zendesk Chat", "object", having("history.0.type")),
        read=Fields(
            *("history", "sender_type", "msg", "timestamp", "name?", "id", "id"),
            roles={"*": "assistant"},
            left_out={"type": {"chat.msg": "", "*": "event"}},
            people=True,
        ),
        known="the API of 2026",
        get="`GET /api/v2/chats/ID`.",
    ),
)
