"""The forms of exports from chat applications for people, such as WhatsApp."""

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

_ZOOM = re.compile(r"\s*\d\d:\d\d:\d\d\s+From ")
_IRC = re.compile(
    r"\[?[\d:./T +-]{5,25}\]?[ \t]{0,3}(?:(<[ @+%&~]?[^<>\s]{1,40}>)|\*\*\*|-!-|-->(?![ \t]*\d\d:)|<--|\*) "
    r"|--- (?:Log|Day) "
)
_META = "In Meta's Accounts Center: Your information and permissions, Export your information; choose JSON."
_NO_ZONE = "times have no zone, and are taken as UTC"


def _in(*words: str) -> Callable[[str], bool]:
    """Return a test of texts: all words stand at the beginning, in the first 4,000 characters."""
    return lambda head: all(word in head for word in words)


def _is_irc(head: str) -> bool:
    """Return whether at least half of the lines are messages or events of IRC: another chat may quote a few."""
    lines = [line for line in head.splitlines() if line.strip()]
    found = [match for line in lines if (match := _IRC.match(line))]
    return 2 * len(found) >= len(lines) and any(match[1] for match in found)


FORMS = (
    Form(
        name="an IRC log",
        document="text",
        recognise=_is_irc,
        read="write its messages as CSV, with the columns name, text and date",
        known="lines with a time and <name>, as irssi, ZNC and others write them",
        get="Logs of IRC programs have too many forms; a table of messages is read.",
    ),
    Form(
        name="Signal",
        document="folder",
        recognise={"data.json", "chat.md"}.issubset,
        read=signal.read_folder,
        known=f"signal-export 3.9; {_NO_ZONE}",
        get="Run signal-export on a computer with Signal Desktop.",
    ),
    Form(
        name="Signal, data.json",
        document="list",
        recognise=having("quote", "sticker", "reactions", "attachments"),
        read=signal.FIELDS,
        known="signal-export 3.9",
        get="As above.",
    ),
    Form(
        name="Signal, chat.md",
        document="text",
        recognise=signal.is_text,
        read=signal.read_text,
        known="signal-export 3.9; older exports have no seconds",
        get="As above.",
    ),
    Form(
        name="WhatsApp",
        document="text",
        recognise=whatsapp.is_text,
        read=whatsapp.read,
        known=(
            "Android and iOS of 2026; U+202F stands before PM; the order of day and month depends on the phone's "
            f"language, and is found from the dates, or guessed with a note; {_NO_ZONE}"
        ),
        get="In the chat: More, Export chat, Without media.",
    ),
    Form(
        name="WhatsApp, iOS",
        document="folder",
        recognise=lambda names: "_chat.txt" in names,
        read=whatsapp.read,
        known="iOS of 2026: a ZIP with _chat.txt; all lines by WhatsApp itself begin with U+200E",
        get="In the chat: the contact's name, Export chat.",
    ),
    Form(
        name="Telegram",
        document="object",
        recognise=telegram.is_chat,
        read=telegram.read,
        known="result.json of 2025; a text with styled parts is a list; deleted accounts have no name",
        get="In Telegram Desktop, in the chat: Export chat history; choose JSON.",
    ),
    Form(
        name="Telegram, account",
        document="object",
        recognise=having("chats.list"),
        read=telegram.read_account,
        known="result.json of 2025",
        get="In Telegram Desktop: Settings, Advanced, Export Telegram data; choose JSON.",
    ),
    Form(
        name="Telegram, HTML",
        document="text",
        recognise=_in("Exported Data", "page_header"),
        read="export the chat again, as JSON",
        known="messages.html of Telegram Desktop of 2025",
        get="See Telegram.",
    ),
    Form(
        name="Telegram, folder of HTML",
        document="folder",
        recognise=lambda names: "messages.html" in names and "result.json" not in names,
        read="export the chat again, as JSON",
        known="messages.html of Telegram Desktop of 2025",
        get="See Telegram.",
    ),
    Form(
        name="Discord",
        document="object",
        recognise=having("guild", "channel", "messages"),
        read=discord.FIELDS,
        known="DiscordChatExporter of 2026; notices are among the messages, with types of their own",
        get="Run DiscordChatExporter with `--format Json`.",
    ),
    Form(
        name="Discord, HTML",
        document="text",
        recognise=_in("DiscordChatExporter"),
        read="export the channel again, with `--format Json`",
        known="DiscordChatExporter of 2026",
        get="See Discord.",
    ),
    Form(
        name="Slack",
        document="folder",
        recognise=slack.is_folder,
        read=slack.read,
        known="the export of 2026; some text is only in attachments, and names only in users.json",
        get="Workspace settings, Import and export data, Export.",
    ),
    Form(
        name="Slack, one day",
        document="list",
        recognise=having("ts", "type", "text"),
        read=slack.read_day,
        known="one file of the export of 2026",
        get="Give the folder of the export, where users.json is.",
    ),
    Form(
        name="Messenger and Instagram",
        document="folder",
        recognise=messenger.is_folder,
        read=messenger.read_folder,
        known="Meta's download of 2026: newest first, each byte of UTF-8 as a character, and 10,000 messages per file",
        get=_META,
    ),
    Form(
        name="Messenger and Instagram, one file",
        document="object",
        recognise=messenger.is_chat,
        read=messenger.read,
        known="message_1.json of 2026, which can be one of several files",
        get=_META,
    ),
    Form(
        name="Messenger, end-to-end encrypted",
        document="object",
        recognise=having("threadName", "messages"),
        read=messenger.read_encrypted,
        known="the download of 2026, separate from the other one, and in valid UTF-8",
        get="At messenger.com/secure_storage/dyi.",
    ),
    Form(
        name="Messenger and Instagram, HTML",
        document="text",
        recognise=_in("<html", "_a6-g"),
        read="order the download again, as JSON",
        known="message_1.html of 2026",
        get=_META,
    ),
    Form(
        name="Messenger and Instagram, folder of HTML",
        document="folder",
        recognise=lambda names: "message_1.html" in names and "message_1.json" not in names,
        read="order the download again, as JSON",
        known="message_1.html of 2026",
        get=_META,
    ),
    Form(
        name="iMessage",
        document="text",
        recognise=imessage.is_text,
        read=imessage.read,
        known=f"imessage-exporter of 2024 and 2026; a reply is in the file twice; {_NO_ZONE}",
        get="Run imessage-exporter with `--format txt` on a Mac.",
    ),
    Form(
        name="ChatLab",
        document="object",
        recognise=having("chatlab", "messages"),
        read=chatlab.FIELDS,
        known="version 0.0.2 of the form, from exporters of iMessage, WeChat, QQ and others",
        get="See your exporter.",
    ),
    Form(
        name="ChatLab, JSON Lines",
        document="list",
        recognise=lambda items: having("chatlab", _type="header")(items[:1]),
        read=chatlab.read_lines,
        known="version 0.0.2 of the form",
        get="See your exporter.",
    ),
    Form(
        name="meeting, WebVTT",
        document="text",
        recognise=lambda head: head.lstrip("\ufeff").startswith("WEBVTT"),
        read=subtitles.read,
        known="Teams and Zoom of 2026; long speech is cut into cues of a few seconds",
        get="Teams: Recap, Transcript, Download as .vtt. Zoom: Recordings, Audio transcript.",
    ),
    Form(
        name="Zoom's chat.txt",
        document="text",
        recognise=lambda head: bool(_ZOOM.match(head)),
        read="use the .vtt file of the recording",
        known="chat.txt or meeting_saved_chat.txt of 2026",
        get="See meeting, WebVTT.",
    ),
    Form(
        name="SillyTavern",
        document="list",
        recognise=lambda lines: having("chat_metadata")(lines[:1]) or having("user_name", "character_name")(lines[:1]),
        read=Fields(
            messages="",
            role="is_user",
            text="mes",
            date="send_date",
            name="name",
            title="",
            conversation="",
            roles={"True": "user", "False": "assistant"},
            left_out={"character_name|chat_metadata": None, "is_system": "hidden message"},
            versions="swipes?",
            version="swipe_id",
            people=True,
        ),
        known=(
            "the form of 2026, and older forms of times; the names on the first line can be placeholders; hidden "
            "messages have is_system"
        ),
        get="The files in data/default-user/chats, or Manage chat files, Export.",
    ),
    Form(
        name="character.ai",
        document="object",
        recognise=having("turns.0.candidates"),
        read=Fields(
            messages="turns",
            role="author.is_human",
            text="raw_content",
            date="create_time",
            name="author.name",
            title="",
            conversation="chat_id",
            roles={"True": "user", "None": "assistant"},
            versions="candidates",
            version="primary_candidate_id",
            version_id="candidate_id",
            people=True,
        ),
        known="the interface of 2026: newest first; only people's turns name their author",
        get="A browser extension.",
    ),
    Form(
        name="character.ai, histories",
        document="object",
        recognise=having("histories.histories"),
        read=Fields(
            messages="msgs",
            role="src.is_human",
            text="text",
            date="created",
            name="src.name",
            title="",
            conversation="external_id",
            roles={"True": "user", "False": "assistant"},
            people=True,
            each="histories.histories",
        ),
        known="dumps of characterai-dumper and similar tools, before 2024",
        get="A browser extension.",
    ),
    Form(
        name="Rasa",
        document="object",
        recognise=having("sender_id", "events"),
        read=Fields(
            messages="events",
            role="event",
            text="text",
            date="timestamp",
            title="sender_id",
            conversation="",
            roles={"*": ""},
        ),
        known="trackers of Rasa 3",
        get="`GET /conversations/ID/tracker`.",
    ),
    Form(
        name="Intercom",
        document="object",
        recognise=having("conversation_parts"),
        read=helpdesks.read_intercom,
        known="versions 1 and 2 of the API; the first message is in source, and only single conversations have parts",
        get="`GET /conversations/ID`.",
    ),
    Form(
        name="Zendesk",
        document="object",
        recognise=helpdesks.is_zendesk,
        read=helpdesks.read_zendesk,
        known="the API of 2026; internal notes have public: false",
        get="`GET /api/v2/tickets/ID/comments.json?include=users`.",
    ),
    Form(
        name="Zendesk Chat",
        document="object",
        recognise=having("history.0.type"),
        read=Fields(
            messages="history",
            role="sender_type",
            text="msg",
            date="timestamp",
            name="name?",
            title="id",
            conversation="id",
            roles={"*": "assistant"},
            left_out={"type": {"chat.msg": "", "*": "event"}},
            people=True,
        ),
        known="the API of 2026",
        get="`GET /api/v2/chats/ID`.",
    ),
)
