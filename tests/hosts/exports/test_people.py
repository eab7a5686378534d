"""Talks between people: who said what and when, in each form, and what is said of the rest."""

import copy
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, cast
from zipfile import ZipFile

import pytest

from memzoo.benchmarks import load_transcripts
from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.fields import pick
from memzoo.hosts.exports.reading import Choice, read_conversations

GIVEN = Path(__file__).parents[4] / "shared" / "data" / "exports"
DAY = 1775293200  # 2026-04-04T09:00:00Z
NOON = "2026-04-04T09:0"


class Sample(NamedTuple):
    """An export, and what stands in it."""

    files: dict[str, Any]
    """The files by their paths: a text, a value for JSON, or a list of values for JSON Lines."""
    said: list[tuple[str, str, str, str]]
    """Role, name, minute and words of each message."""
    notes: list[str]
    place: tuple[str, str, int] = ("", "", 0)
    """A message with words: the file, the path to the list in it, and the number in the list."""
    keys: tuple[str, str, str] = ("", "", "")
    """The members of a message with its words, its speaker and its time."""
    title: str = ""


def at(minute: int) -> str:
    """The minute of a talk, as most forms write it."""
    return f"{NOON}{minute}:00+00:00"


OTHER_NAMES = ("nickname",)
"""Members for which another name of the same person stands."""

PAIR = [
    ("user", "Ines", "09:01", "Is the kiln free?"),
    ("assistant", "Bo", "09:02", "From Monday on:\nbook it."),
    ("user", "Ines", "09:03", "I take Tuesday."),
]
NAMELESS = [(role, "", minute, words) for role, _, minute, words in PAIR]
WORDS = [words for *_, words in PAIR]
GUESSED = "'Ines', who speaks first, is the user (FILE:user=NAME chooses another)"


def telegram(**more: Any) -> dict[str, Any]:
    """A chat with Bo."""
    styled = ["From ", {"type": "bold", "text": "Monday"}, " on:\nbook it."]
    said: list[tuple[str, str, Any]] = [
        ("Ines", "user7", WORDS[0]),
        ("Bo", "user8", styled),
        ("Ines", "user7", WORDS[2]),
    ]
    messages: list[dict[str, Any]] = [
        {"id": n, "type": "message", "date": at(n)[:19], "date_unixtime": str(DAY + 60 * n)}
        | {"from": name, "from_id": id_, "text": text, "edited": at(n)[:19]}
        for n, (name, id_, text) in enumerate(said, start=1)
    ]
    call = {"id": 4, "type": "service", "date": at(4)[:19], "actor": "Bo", "action": "phone_call", "text": ""}
    voice = messages[0] | {"id": 5, "date_unixtime": str(DAY + 300), "text": "", "media_type": "voice_message"}
    return {"name": "Bo", "type": "personal_chat", "id": 8, "messages": [*messages, call, voice]} | more


def discord() -> dict[str, Any]:
    """A direct channel with Bo."""
    people = [
        {"id": str(n), "name": name.lower(), "nickname": name, "isBot": False} for n, name in enumerate(("Ines", "Bo"))
    ]
    said = [(0, WORDS[0], "Default"), (1, WORDS[1], "Reply"), (0, WORDS[2], "Default"), (1, "Started a call.", "Call")]
    messages: list[Any] = [
        {"id": str(n), "type": kind, "timestamp": at(n), "content": text, "author": people[who], "embeds": []}
        for n, (who, text, kind) in enumerate(said, start=1)
    ]
    channel = {"id": "5", "type": "DirectTextChat", "name": "Bo"}
    return {"guild": {"id": "0", "name": "Direct Messages"}, "channel": channel, "messages": messages}


def messenger(*minutes: int) -> dict[str, Any]:
    """Some messages of a chat with Bo, newest first, in Meta's spelling."""
    said = {n: (name, words) for n, (_, name, _, words) in enumerate(PAIR, start=1)} | {
        4: ("Bo", "é"),
        5: ("Ines", "gone"),
    }
    messages = [
        {"sender_name": said[n][0], "timestamp_ms": (DAY + 60 * n) * 1000}
        | {"content": said[n][1].encode().decode("latin-1"), **({"is_unsent": True} if n == 5 else {})}
        for n in minutes
    ]
    return {
        "participants": [{"name": "Bo"}, {"name": "Ines"}],
        "messages": messages,
        "title": "Bo",
        "thread_path": "inbox/bo",
    }


def encrypted() -> dict[str, Any]:
    """The same chat in the form of chats with end-to-end encryption."""
    messages: list[Any] = [
        {"isUnsent": False, "media": [], "reactions": [], "senderName": name, "text": words, "type": "text"}
        | {"timestamp": (DAY + 60 * n) * 1000}
        for n, (_, name, _, words) in enumerate(PAIR, start=1)
    ]
    return {"participants": ["Ines", "Bo"], "threadName": "Bo_3", "messages": messages[::-1]}


def signal(name: str, words: str, minute: int, **more: Any) -> dict[str, Any]:
    """A line of signal-export."""
    empty = {"quote": "", "sticker": None, "reactions": [["Bo", "+1"]], "attachments": []}
    return {"date": at(minute)[:19], "sender": name, "body": f"{words}  ", **empty, **more}


def chatlab() -> dict[str, Any]:
    """A chat of imessage-exporter's fork: its messages with words, a picture without, and a reaction."""
    said = [("me", 0, WORDS[0]), ("+155", 1, f"[Image] a/b.png \u2014 {WORDS[1]}"), ("me", 0, WORDS[2])]
    said += [("me", 1, "[Image] a/c.png"), ("+155", 99, "Loved by Bo")]
    names = {"me": "Ines", "+155": "Bo"}
    messages = [
        {"sender": id_, "accountName": names[id_], "timestamp": DAY + 60 * n, "type": kind, "content": text}
        for n, (id_, kind, text) in enumerate(said, start=1)
    ]
    meta = {"name": "Bo", "platform": "imessage", "type": "private", "ownerId": "me"}
    return {"chatlab": {"version": "0.0.2"}, "meta": meta, "members": [], "messages": messages}


def sillytavern() -> list[dict[str, Any]]:
    """A chat with three of SillyTavern's spellings of a time."""
    times = ["April 4, 2026 9:01am", "2026-4-4 @09h 02m 00s 5ms", at(3)]
    said: list[Any] = [
        {"name": name, "is_user": role == "user", "is_system": False, "send_date": time, "mes": words}
        for (role, name, _, words), time in zip(PAIR, times, strict=True)
    ]
    said[1] |= {"swipes": ["No.", WORDS[1]], "swipe_id": 1}
    hidden = said[0] | {"is_system": True, "mes": "Hotkeys"}
    return [{"user_name": "unused", "character_name": "unused", "chat_metadata": {}}, *said, hidden]


def character_ai() -> dict[str, Any]:
    """A chat with a character, newest turn first, of which an answer was made twice."""
    turns: list[Any] = [
        {"create_time": at(n), "author": {"name": name} | ({"is_human": True} if role == "user" else {})}
        | {"candidates": [{"candidate_id": "c", "raw_content": words}], "primary_candidate_id": "c"}
        for n, (role, name, _, words) in enumerate(PAIR, start=1)
    ]
    turns[1]["candidates"].insert(0, {"candidate_id": "b", "raw_content": "No."})
    return {"turns": turns[::-1], "meta": {"next_token": None}}


def histories() -> dict[str, Any]:
    """The same chat in the older form."""
    messages = [
        {"src": {"name": name, "is_human": role == "user"}, "text": words, "created": at(n)}
        for n, (role, name, _, words) in enumerate(PAIR, start=1)
    ]
    return {"info": {}, "histories": {"histories": [{"external_id": "x", "msgs": messages}]}}


def rasa() -> dict[str, Any]:
    """A tracker."""
    events = [
        {"event": {"user": "user", "assistant": "bot"}[role], "timestamp": DAY + 60.5 * n, "text": words}
        for n, (role, _, _, words) in enumerate(PAIR, start=1)
    ]
    return {"sender_id": "u", "events": [{"event": "action", "name": "action_listen", "timestamp": DAY}, *events]}


def intercom() -> dict[str, Any]:
    """A conversation with a note that the customer does not see."""
    people = {"Ines": {"type": "user", "name": "Ines"}, "Bo": {"type": "admin", "name": "Bo"}}
    parts = [
        {"part_type": "comment", "body": f"<p>{words.replace(chr(10), '<br>')}</p>", "created_at": DAY + 60 * n}
        | {"author": people[name]}
        for n, (_, name, _, words) in enumerate(PAIR, start=1)
    ]
    source = {"body": parts[0]["body"], "author": people["Ines"]}
    note = {"part_type": "note", "body": "<p>rude</p>", "created_at": DAY + 200, "author": people["Bo"]}
    listed = {"conversation_parts": [*parts[1:], note], "total_count": 9}
    return {"type": "conversation", "id": "1", "created_at": DAY + 60, "source": source, "conversation_parts": listed}


def zendesk() -> dict[str, Any]:
    """A ticket with an internal note."""
    comments = [
        {"id": n, "author_id": len(name), "body": words, "public": True, "created_at": at(n)}
        for n, (_, name, _, words) in enumerate(PAIR, start=1)
    ]
    users = [{"id": len(name), "name": name} for name in ("Ines", "Bo")]
    return {"comments": [*comments, comments[1] | {"id": 4, "public": False}], "users": users, "count": 4}


def zendesk_chat() -> dict[str, Any]:
    """A chat of a visitor."""
    history = [
        {"type": "chat.msg", "sender_type": {"user": "Visitor", "assistant": "Agent"}[role], "name": name}
        | {"msg": words, "timestamp": at(n)}
        for n, (role, name, _, words) in enumerate(PAIR, start=1)
    ]
    return {"type": "chat", "id": "c", "history": [{"type": "chat.memberjoin", "timestamp": at(0)}, *history]}


SLACK = {
    "export/users.json": [
        {"id": "U1", "name": "ines", "profile": {"display_name": "Ines"}},
        {"id": "U2", "name": "bo", "real_name": "Bo", "profile": {"display_name": ""}},
    ],
    "export/channels.json": [{"id": "C1", "name": "kiln"}],
    "export/kiln/2026-04-04.json": [
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": "joined", "ts": f"{DAY}.000100"},
        {"type": "message", "user": "U1", "text": "Is the <https://kiln.example|kiln> free?", "ts": f"{DAY + 60}.0001"},
        {"type": "message", "bot_id": "B1", "username": "Desk", "text": "", "ts": f"{DAY + 65}.0001"}
        | {"attachments": [{"fallback": "Ask &lt;Bo&gt;."}]},
        {"type": "message", "user": "U2", "text": "<@U1> From Monday on.", "ts": f"{DAY + 120}.0001"}
        | {"thread_ts": f"{DAY + 60}.0001"},
    ],
    "export/kiln/2026-04-05.json": [
        {"type": "message", "user": "U1", "text": "Thanks, <!here>!", "ts": f"{DAY + 86400}.0001"},
    ],
}

NAMED = "'Ines' is the user, because the file is named after the other (FILE:user=NAME chooses another)"
SAMPLES: dict[str, Sample] = {
    "WhatsApp, Android, German": Sample(
        {
            "WhatsApp Chat mit Bo.txt": (
                "04.04.26, 09:00 - Nachrichten sind Ende-zu-Ende-verschlüsselt.\n"
                "04.04.26, 09:01 - Ines: Is the kiln free?\n"
                "04.04.26, 09:02 - Bo: From Monday on:\nbook it. <Diese Nachricht wurde bearbeitet.>\n"
                "04.04.26, 09:02 - Bo: <Medien ausgeschlossen>\n"
                "04.04.26, 09:02 - Bo: Diese Nachricht wurde gelöscht.\n"
                "13.04.26, 09:03 - Ines: IMG-1.jpg (Datei angehängt)\nI take Tuesday.\n"
            )
        },
        [*PAIR[:2], ("user", "Ines", "13T09:03", "I take Tuesday.")],
        [NAMED, "left out: 2 attachments, 1 deleted message, 1 system line"],
        title="WhatsApp Chat mit Bo",
    ),
    "WhatsApp, Android, Spanish": Sample(
        {
            "chat.txt": (
                "4/4/26, 9:01 p.\u00a0m. - Ines: Is the kiln free?\n"
                "4/4/26, 9:02 p.\u00a0m. - Bo: <Multimedia omitido>\n"
                "13/4/26, 9:02 a.\u00a0m. - Bo: From Monday on.\n"
                "13/4/26, 12:03 p.\u00a0m. - Ines: Eliminaste este mensaje.\n"
            )
        },
        [("user", "Ines", "21:01", "Is the kiln free?"), ("assistant", "Bo", "13T09:02", "From Monday on.")],
        ["left out: 1 attachment, 1 deleted message"],
    ),
    "WhatsApp, Android, Chinese": Sample(
        {
            "chat.txt": (
                "2026/4/4 上午12:01 - Ines: 窑空着吗\n2026/4/4 下午12:02 - Bo: 空着。\n2026/4/4 下午9:03 - Ines: 好。\n"
            )
        },
        [
            ("user", "Ines", "00:01", "窑空着吗"),
            ("assistant", "Bo", "12:02", "空着。"),
            ("user", "Ines", "21:03", "好。"),
        ],
        [GUESSED],
    ),
    "WhatsApp, iOS, American": Sample(
        {
            "WhatsApp Chat - Bo.zip": {
                "_chat.txt": (
                    "[4/3/26, 9:00:00\u202fAM] Bo: \u200eMessages and calls are end-to-end encrypted.\r\n"
                    "[4/4/26, 9:01:00\u202fAM] Ines: Is the kiln free?\r\n"
                    "\u200e[4/4/26, 9:02:00\u202fAM] Bo: From Monday on:\nbook it. \u200e<This message was edited>\r\n"
                    "[4/4/26, 9:02:09\u202fAM] Bo: \u200eimage omitted\r\n"
                    "[4/13/26, 9:03:00\u202fAM] ~\u202fInes: I take Tuesday.\r\n"
                )
            }
        },
        [*PAIR[:2], ("user", "Ines", "13T09:03", "I take Tuesday.")],
        [NAMED, "left out: 2 system lines"],
        title="WhatsApp Chat - Bo",
    ),
    "Telegram": Sample(
        {"result.json": telegram()},
        PAIR,
        ["left out: 1 service message, 1 voice message"],
        ("result.json", "messages", 2),
        ("text", "from", "date_unixtime"),
        "Bo",
    ),
    "Telegram, account": Sample(
        {"result.json": {"personal_information": {"user_id": 7}, "chats": {"list": [telegram(type="private_group")]}}},
        PAIR,
        ["left out: 1 service message, 1 voice message"],
        ("result.json", "chats.list.0.messages", 2),
        ("text", "from", "date_unixtime"),
        "Bo",
    ),
    "Discord": Sample(
        {"Direct Messages - Bo.json": discord()},
        PAIR,
        ["left out: 1 notice"],
        ("Direct Messages - Bo.json", "messages", 2),
        ("content", "author", "timestamp"),
        "Bo",
    ),
    "Slack": Sample(
        SLACK,
        [
            ("user", "Ines", "09:01", "Is the kiln free?"),
            ("assistant", "Desk", "09:01", "Ask <Bo>."),
            ("assistant", "Bo", "09:02", "@Ines From Monday on."),
            ("user", "Ines", "05T09:00", "Thanks, @here!"),
        ],
        [
            "1 answer in threads sorted by time among the messages",
            "'Ines', who speaks first, is the user (FILE:user=NAME chooses another of: 'Desk', 'Bo')",
            "left out: 1 notice",
        ],
        ("export/kiln/2026-04-04.json", "", -1),
        ("text", "user", "ts"),
        "kiln",
    ),
    "Messenger": Sample(
        {"inbox/bo_1/message_1.json": messenger(5, 4, 3), "inbox/bo_1/message_2.json": messenger(2, 1)},
        [*PAIR, ("assistant", "Bo", "09:04", "é")],
        ["left out: 1 unsent message", "the messages were not in the order of their times, and were sorted"],
        ("inbox/bo_1/message_2.json", "messages", -1),
        ("content", "sender_name", "timestamp_ms"),
        "Bo",
    ),
    "Messenger, encrypted": Sample(
        {"Bo_3.json": encrypted()},
        PAIR,
        ["the messages were not in the order of their times, and were sorted"],
        ("Bo_3.json", "messages", -1),
        ("text", "senderName", "timestamp"),
        "Bo",
    ),
    "Signal": Sample(
        {
            "Bo/chat.md": "",
            "Bo/data.json": [
                signal("Me", WORDS[0], 1),
                signal("Bo", WORDS[1], 2),
                signal("Me", WORDS[2], 3),
                signal("Bo", "", 4, deleted=True),
            ],
        },
        [(role, {"Ines": "Me"}.get(name, name), minute, words) for role, name, minute, words in PAIR],
        ["left out: 1 deleted message"],
        ("Bo/data.json", "", 2),
        ("body", "sender", "date"),
        "Bo",
    ),
    "Signal, chat.md": Sample(
        {
            "chat.md": (
                "[2026-04-04 09:01:00] Me: Is the kiln free?  \n(- Bo: +1 -)\n\n"
                "[2026-04-04 09:02:00] Bo: From Monday on:\nbook it.  ![kiln.png](./media/kiln.png)  \n\n"
                "[2026-04-04 09:02:30] Bo: (This message was deleted)\n\n"
                "[2026-04-04 09:03:00] Me: I take Tuesday.  \n"
            )
        },
        [(role, {"Ines": "Me"}.get(name, name), minute, words) for role, name, minute, words in PAIR],
        ["left out: 1 deleted message"],
    ),
    "iMessage": Sample(
        {
            "Bo.txt": (
                "Apr 04, 2026  9:01:00 AM (Read by them after 5 seconds)\nMe\nIs the kiln free?\n"
                "Tapbacks:\nLoved by Bo\n\n"
                "Apr 04, 2026  9:01:30 AM You named the conversation Kiln\n\n"
                "Apr 04, 2026  9:02:00 AM\nBo\nFrom Monday on:\nbook it.\n"
                "    Apr 04, 2026  9:03:00 AM\n    Me\n    I take Tuesday.\n\n"
                "Apr 04, 2026  9:03:00 AM\nMe\nI take Tuesday.\nThis message responded to an earlier message.\n\n"
            )
        },
        [(role, {"Ines": "Me"}.get(name, name), minute, words) for role, name, minute, words in PAIR],
        ["left out: 1 announcement"],
    ),
    "ChatLab": Sample(
        {"Bo.json": chatlab()},
        PAIR,
        ["left out: 1 picture, 1 special message"],
        ("Bo.json", "messages", 2),
        ("content", "sender", "timestamp"),
        "Bo",
    ),
    "ChatLab, lines": Sample(
        {
            "Bo.jsonl": [
                {"_type": "header"} | {key: chatlab()[key] for key in ("chatlab", "meta")},
                {"_type": "member", "platformId": "me", "accountName": "Ines"},
                *({"_type": "message"} | message for message in chatlab()["messages"]),
            ]
        },
        PAIR,
        ["left out: 1 picture, 1 special message"],
    ),
    "Teams": Sample(
        {
            "meeting.vtt": (
                "WEBVTT\n\nNOTE nothing\n\n1/0\n00:00:03.000 --> 00:00:05.000\n<v Ines>Is the kiln</v>\n\n"
                "1/1\n00:00:05.000 --> 00:00:06.000\n<v Ines>free &amp; <i>warm</i>?</v>\n\n"
                "1/2\n00:00:06.000 --> 00:00:08.000\n<v Bo Ek>Yes.</v>\n\n00:00:09.000 --> 00:00:10.000\n[music]\n"
            )
        },
        [("user", "Ines", "", "Is the kiln\nfree & warm?"), ("assistant", "Bo Ek", "", "Yes.")],
        [GUESSED, "left out: 1 unnamed cue"],
    ),
    "Zoom": Sample(
        {
            "meeting.vtt": (
                "WEBVTT\r\n\r\n1\r\n00:00:03.000 --> 00:00:05.000\r\nInes: Is the kiln free?\r\n\r\n"
                "2\r\n00:00:06.000 --> 00:00:08.000\r\nBo: Yes: from Monday.\r\n"
            )
        },
        [("user", "Ines", "", "Is the kiln free?"), ("assistant", "Bo", "", "Yes: from Monday.")],
        [GUESSED],
    ),
    "SillyTavern": Sample(
        {"Bo - 2026.jsonl": sillytavern()},
        PAIR,
        ["left out: 1 hidden message, 1 other version"],
        ("Bo - 2026.jsonl", "", 3),
        ("mes", "name", "send_date"),
    ),
    "character.ai": Sample(
        {"chat.json": character_ai()},
        PAIR,
        ["left out: 1 other version", "the messages were not in the order of their times, and were sorted"],
        ("chat.json", "turns", -1),
        ("", "author", "create_time"),
    ),
    "character.ai, histories": Sample(
        {"chat.json": histories()},
        PAIR,
        [],
        ("chat.json", "histories.histories.0.msgs", -1),
        ("text", "src", "created"),
        "chat 1",
    ),
    "Rasa": Sample(
        {"tracker.json": rasa()},
        NAMELESS,
        ["left out: 1 event"],
        ("tracker.json", "events", -1),
        ("text", "event", "timestamp"),
        "u",
    ),
    "Intercom": Sample(
        {"1.json": intercom()},
        PAIR,
        ["6 parts not in the file: the API gives 500 at most", "left out: 1 internal note"],
        ("1.json", "conversation_parts.conversation_parts", 1),
        ("body", "author", "created_at"),
        "1",
    ),
    "Zendesk": Sample(
        {"ticket.json": zendesk()},
        PAIR,
        ["left out: 1 internal note"],
        ("ticket.json", "comments", 2),
        ("body", "author_id", "created_at"),
    ),
    "Zendesk Chat": Sample(
        {"chat.json": zendesk_chat()},
        PAIR,
        ["left out: 1 event"],
        ("chat.json", "history", -1),
        ("msg", "sender_type", "timestamp"),
        "c",
    ),
}


def message_of(sample: Sample) -> dict[str, Any]:
    """The message at the place of a sample."""
    file, path, number = sample.place
    return pick(sample.files[file], path)[number]


def members(value: Any) -> Iterator[tuple[Any, ...]]:
    """The paths to all members of the objects in a value."""
    if isinstance(value, dict):
        yield from ((key,) for key in cast("dict[str, Any]", value))
        inner = list[tuple[Any, Any]](cast("dict[str, Any]", value).items())
    else:
        inner = list[tuple[Any, Any]](enumerate(cast("list[Any]", value) if isinstance(value, list) else []))
    for key, one in inner:
        yield from ((key, *path) for path in members(one))


def write(files: dict[str, Any], folder: Path) -> None:
    """Write the files of a sample."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".zip"):
            with ZipFile(path, "w") as archive:
                for inner, text in content.items():
                    archive.writestr(inner, text)
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8", newline="")
        elif path.suffix == ".jsonl" or path.name == "data.json":
            path.write_text("\n".join(json.dumps(line) for line in content), encoding="utf-8")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")


def read(files: dict[str, Any], folder: Path, choice: Choice = Choice()) -> ChatLog | TransferError:  # noqa: B008
    """The one conversation of a sample, or its error."""
    write(files, folder)
    [first, *_] = files
    [log] = read_conversations([folder / first if first.endswith(".zip") else folder], choice)
    return log


def told(log: ChatLog) -> list[tuple[str, str, str, str]]:
    """A conversation as samples write it; the day is left out on the 4th of April."""
    minutes = (f"{date:%dT%H:%M}".removeprefix("04T") if date else "" for date in log.dates)
    return [
        (message["role"], message.get("name", ""), minute, message["content"])
        for message, minute in zip(log.messages, minutes, strict=True)
    ]


@pytest.mark.parametrize("name", SAMPLES)
def test_each_form_is_read(name: str, tmp_path: Path):
    """Roles, names, times, words and order are those of the export, and the notes count the rest."""
    sample = SAMPLES[name]
    log = read(sample.files, tmp_path)
    assert isinstance(log, ChatLog)
    assert told(log) == sample.said
    assert log.notes == sample.notes
    assert log.title == (sample.title or Path(next(iter(sample.files))).stem)


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.keys[0]])
def test_a_message_without_its_text_is_counted(name: str, tmp_path: Path):
    """The others stay as they are."""
    sample = copy.deepcopy(SAMPLES[name])
    del message_of(sample)[sample.keys[0]]
    log = read(sample.files, tmp_path)
    assert isinstance(log, ChatLog)
    assert len(log.messages) == len(sample.said) - 1
    assert {"1 message without text left out"} <= set(log.notes)


@pytest.mark.parametrize("key", [1, 2], ids=["speaker", "time"])
@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.keys[1]])
def test_a_message_with_another_name_for_speaker_or_time_is_refused(name: str, key: int, tmp_path: Path):
    """The error names the form, the message and the member."""
    sample = copy.deepcopy(SAMPLES[name])
    member = sample.keys[key]
    message = message_of(sample)
    message["renamed"] = message.pop(member)
    error = read(sample.files, tmp_path)
    assert isinstance(error, TransferError)
    assert f"cannot be read as {name.partition(',')[0]}" in str(error)
    assert f" no '{member}" in str(error)
    assert "'renamed'" in str(error)


def test_agents_and_customers_of_a_table_have_roles(tmp_path: Path):
    """A ticket is a conversation."""
    rows = "ticket_id,sender_type,comment,created_at\n7,customer,Is it free?,2026-04-04T09:01\n"
    rows += "7,Agent,Yes.,2026-04-04T09:02\n"
    log = read({"tickets.csv": rows}, tmp_path)
    assert isinstance(log, ChatLog)
    assert told(log) == [("user", "", "09:01", "Is it free?"), ("assistant", "", "09:02", "Yes.")]


def test_a_table_of_people_keeps_their_names_and_tells_times_that_are_not_understood(tmp_path: Path):
    """The first who speaks is the user."""
    log = read({"chat.csv": "speaker,text,date\nInes,Is it free?,3/2/2026\nBo,Yes.,2026-04-04T09:02\n"}, tmp_path)
    assert isinstance(log, ChatLog)
    assert told(log) == [("user", "Ines", "", "Is it free?"), ("assistant", "Bo", "09:02", "Yes.")]
    assert set(log.notes) == {GUESSED, "1 message without a time", "1 time not understood, such as '3/2/2026'"}


SENT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Discord": (discord(), {"attachments": [{"id": "9", "url": "x/kiln.png", "fileName": "kiln.png"}]}),
    "Telegram": (telegram(), {"photo": "photos/kiln.png"}),
    "Messenger": (messenger(1, 2, 3), {"photos": [{"uri": "photos/kiln.png", "creation_timestamp": DAY}]}),
    "Slack": (
        {"messages": [{"type": "message", "user": "U1", "text": "Is the kiln free?", "ts": f"{DAY}.1"}]},
        {"files": [{"id": "F9", "name": "kiln.png"}], "subtype": "file_share"},
    ),
}
"""Talks, and the members of a message with which a picture is sent."""


@pytest.mark.parametrize("name", SENT)
def test_pictures_sent_with_words_are_counted(name: str, tmp_path: Path):
    """The words are read as without the picture."""
    talk, sent = copy.deepcopy(SENT[name])
    talk["messages"][0] |= sent
    log = read({"day.json": talk["messages"] if name == "Slack" else talk}, tmp_path)
    assert isinstance(log, ChatLog)
    assert "Is the kiln free?" in [one["content"] for one in log.messages]
    assert [note for note in log.notes if note.startswith("1 part other than text left out: ")]


def test_a_table_of_people_needs_no_times(tmp_path: Path):
    """The order is that of the rows."""
    log = read({"chat.csv": "name,message\nInes,Is it free?\nBo,Yes.\n"}, tmp_path)
    assert isinstance(log, ChatLog)
    assert told(log) == [("user", "Ines", "", "Is it free?"), ("assistant", "Bo", "", "Yes.")]
    assert log.notes == [GUESSED]


def test_names_of_columns_may_have_blanks_and_times_the_word_utc(tmp_path: Path):
    """The rows of each conversation belong together, newest first or not."""
    rows = "CONVERSATION ID,FROM,DATE,CONTENT\nb,Bo,2026-04-04 09:05:00 UTC,Yes.\n"
    rows += "b,Ines,2026-04-04 09:04:00 UTC,Is it free?\na,Ann,2026-04-04 09:01:00 UTC,Hi.\n"
    (tmp_path / "messages.csv").write_text(rows, encoding="utf-8")
    logs = [one for one in read_conversations([tmp_path / "messages.csv"]) if isinstance(one, ChatLog)]
    assert [told(log) for log in logs] == [
        [("user", "Ines", "09:04", "Is it free?"), ("assistant", "Bo", "09:05", "Yes.")],
        [("user", "Ann", "09:01", "Hi.")],
    ]


def test_an_instruction_and_its_input_are_the_question_of_a_row(tmp_path: Path):
    """The input is empty in most rows of a data set in Alpaca's form."""
    rows = "instruction,input,output\nName a river.,,The Enns.\nTranslate.,good day,Guten Tag.\n"
    log = read({"alpaca.csv": rows}, tmp_path)
    assert isinstance(log, ChatLog)
    assert [one["content"] for one in log.messages] == [
        *("Name a river.", "The Enns."),
        *("Translate.\n\ngood day", "Guten Tag."),
    ]
    assert not log.notes


def test_a_message_of_a_program_in_slack_has_all_words_of_its_attachment(tmp_path: Path):
    """Only without any of them, its fallback is read."""
    attached = {"fallback": "1 new commit", "pretext": "Ines pushed", "title": "Kiln", "text": "Fix the door."}
    build = {"type": "message", "subtype": "bot_message", "bot_id": "B1", "ts": f"{DAY}.1", "text": ""}
    log = read({"day.json": [build | {"attachments": [attached]}]}, tmp_path)
    assert isinstance(log, ChatLog)
    assert log.messages[0]["content"] == "Ines pushed\nKiln\nFix the door."


@pytest.mark.parametrize(
    "text",
    [
        "[2026-04-04 09:01:05] <ines> is the kiln free: yes?\n[2026-04-04 09:02:05] *** Joins: bo (bo@host)\n",
        "[2026-04-04 09:01:05] *** Joins: bo (bo@host)\n[2026-04-04 09:01:05] <@ines> is it free?\n",
        "[09:01:05] <ines> is the kiln free?\n",
        "[2026-04-04T09:01:05+0200] <ines> is the kiln free?\n",
        "09:01 < ines> is the kiln free?\n",
        "--- Log opened Sat Apr 04 09:01:00 2026\n09:01 <+ines> is the kiln free?\n",
    ],
)
def test_a_log_of_irc_is_not_taken_for_another_talk(text: str, tmp_path: Path):
    """The words before a colon would be its speakers."""
    assert "this is an IRC log; " in str(read({"kiln.txt": text}, tmp_path))


def test_a_chat_that_quotes_a_line_of_irc_is_read(tmp_path: Path):
    """A log of IRC consists of such lines."""
    text = (
        "### USER\n\nWhat does this mean?\n12:01:33 <carl> it is down\n\n### ASSISTANT\n\nCarl says that it is down.\n"
    )
    log = read({"kiln.md": text}, tmp_path)
    assert isinstance(log, ChatLog)
    assert "<carl>" in log.messages[0]["content"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n\n00:00:03.000 --> 00:00:04.000\n<v Bo>Is it free?</v>\n"),
        ("talk.txt", "You: my list\n10:30 * call\n11:30 * eat\n12:30 * fire\nChatGPT: Three things."),
    ],
)
def test_times_with_other_signs_are_no_irc(name: str, text: str, tmp_path: Path):
    """A log of IRC has names in angle brackets."""
    assert isinstance(read({name: text}, tmp_path), ChatLog)


def test_subtitles_with_a_few_colons_have_no_speakers(tmp_path: Path):
    """A sentence with a colon is not a speaker with words, if most others have none."""
    cues = ["I make three things: cups,", "plates", "and bowls."]
    text = "\n\n".join(["WEBVTT", *(f"00:00:0{n}.000 --> 00:00:0{n}.900\n{cue}" for n, cue in enumerate(cues))])
    assert "2 of 3 cues do not begin with <v Name> or Name:" in str(read({"film.vtt": text}, tmp_path))


@pytest.mark.parametrize(
    ("head", "deleted", "own"),
    [
        ("04.04.2026, 09:0{} - ", "Данное сообщение удалено", "Вы удалили данное сообщение"),
        ("04.04.2026 09:0{} - ", "Bu mesaj silindi", "Bu mesajı sildiniz"),  # noqa: RUF001 - Turkish
        ("04/04/26 09.0{} - ", "Pesan ini telah dihapus", "Anda telah menghapus pesan ini"),
        ("04.04.2026, 09:0{} - ", "Ta wiadomość została usunięta", "Usunąłeś(aś) tę wiadomość"),
        ("2026-04-04 09:0{} - ", "Detta meddelande raderades", "Du raderade detta meddelande"),
        ("2026/04/04 09:0{} - ", "このメッセージは削除されました。", "このメッセージを削除しました。"),
        ("2026. 4. 4. 오전 9:0{} - ", "이 메시지는 삭제되었습니다.", "삭제한 메시지입니다."),
        ("4\u200f/4\u200f/2026\u060c 9:0{} ص - ", "تم حذف هذه الرسالة", "أنت حذفت هذه الرسالة"),
        ("٤\u200f/٤\u200f/٢٠٢٦\u060c ٩:0{} ص - ", "تم حذف هذه الرسالة", "أنت حذفت هذه الرسالة"),
    ],
)
def test_whatsapp_is_read_in_many_languages(head: str, deleted: str, own: str, tmp_path: Path):
    """Android marks none of its own words. Only the user reads that he or she deleted a message."""
    said = ["Bo: Is it free?", f"Bo: {deleted}", f"Ines: {own}", "Ines: Yes."]
    text = "".join(f"{head.format(minute)}{one}\n" for minute, one in enumerate(said, start=1))
    log = read({"chat.txt": text}, tmp_path)
    assert isinstance(log, ChatLog)
    assert told(log) == [("assistant", "Bo", "09:01", "Is it free?"), ("user", "Ines", "09:04", "Yes.")]
    assert log.notes == ["left out: 2 deleted messages"]


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.place[0]])
@pytest.mark.parametrize("value", [None, 7, [], "gone"], ids=repr)
def test_no_member_of_a_message_changes_the_talk_without_a_word(name: str, value: Any, tmp_path: Path):
    """A member that is missing, or has a value of another type, is of no matter, or told in a note or an error."""
    sample = SAMPLES[name]
    before = read(sample.files, tmp_path / "before")
    assert isinstance(before, ChatLog)
    for number, path in enumerate(members(message_of(sample))):
        files = copy.deepcopy(sample.files)
        holder: Any = message_of(sample._replace(files=files))
        for key in path[:-1]:
            holder = holder[key]
        if value == "gone":
            del holder[path[-1]]
        else:
            holder[path[-1]] = value
        after = read(files, tmp_path / str(number))
        assert (
            isinstance(after, TransferError)
            or told(after) == told(before)
            or list(after.notes) != list(before.notes)
            or path[-1] in OTHER_NAMES
        ), path


@pytest.mark.parametrize(
    ("dates", "order"),
    [
        (["3/1/26, 9:00", "3/2/26, 9:00", "3/12/26, 9:00"], "month"),
        (["1/3/26, 9:00", "2/3/26, 9:00", "12/3/26, 9:00"], "day"),
        (["3/6/26, 9:00\u202fPM"], "month"),
        (["2/3/26, 9:14 AM", "3/3/26, 12:30 PM", "4/4/26, 12:30 AM"], "month"),
        (["03/06/26, 9:00 pm"], "day"),
    ],
)
def test_an_order_of_day_and_month_that_dates_leave_open_is_told(dates: list[str], order: str, tmp_path: Path):
    """The American order where dates are spelt so, else that with the shorter talk, then that of "AM" or "am"."""
    log = read({"chat.txt": "".join(f"{date} - Ines: Hi\n" for date in dates)}, tmp_path)
    assert isinstance(log, ChatLog)
    assert f"they are read with the {order} first" in log.notes[0]


def test_a_message_of_another_day_begins_an_exchange(tmp_path: Path):
    """Where people talk, because an exchange has one date; a late answer of the same day does not."""
    lines = ("14.02.26, 09:14 - Ines: Hi", "14.02.26, 20:00 - Bo: Hi", "01.03.26, 09:14 - Bo: My dog is Rex")
    (tmp_path / "chat.txt").write_text("\n".join(lines), encoding="utf-8")
    [talk] = load_transcripts(tmp_path / "chat.txt")
    assert [(len(one.messages), one.said_at.month) for one in talk.exchanges] == [(2, 2), (1, 3)]


def test_dates_with_points_have_the_day_first(tmp_path: Path):
    """Without a note, because no language has another order there."""
    log = read({"chat.txt": "05.02.26, 09:14 - Ines: Hi\n05.03.26, 09:14 - Ines: Hi\n"}, tmp_path)
    assert isinstance(log, ChatLog)
    assert [date.month for date in log.dates if date] == [2, 3]
    assert not any("come first" in note for note in log.notes)


def test_dates_without_a_common_order_are_refused(tmp_path: Path):
    """The error names the form."""
    error = read({"chat.txt": "13/4/26, 9:00 - Ines: Hi\n4/13/26, 9:00 - Bo: Hi\n"}, tmp_path)
    assert isinstance(error, TransferError)
    assert "cannot be read as WhatsApp: the dates have no common order of day, month and year" in str(error)


def test_a_quoted_line_of_another_chat_stays_a_part_of_its_message(tmp_path: Path):
    """Only lines in the form of the file's first begin a message."""
    text = "13/4/26, 21:00 - Ines: Look:\n[12/4/26, 20:00:00] Ada: Hello\n13/4/26, 21:01 - Bo: Yes\n"
    log = read({"chat.txt": text}, tmp_path)
    assert isinstance(log, ChatLog)
    assert log.messages[0]["content"] == "Look:\n[12/4/26, 20:00:00] Ada: Hello"


@pytest.mark.parametrize(
    ("line", "words", "left_out"),
    [
        ("\u200e<attached: 01-PHOTO.jpg>\nThe new kiln", "The new kiln", "1 attachment"),
        ("The new kiln \u200e<attached: 01-PHOTO.jpg>", "The new kiln", "1 attachment"),
        ("\u200eimage omitted\nThe new kiln", "The new kiln", "1 system line"),
        ("plan.pdf • \u200e2 pages \u200e<attached: 02-plan.pdf>", "", "1 attachment"),
        ("\u200eplan.pdf • \u200e2 pages \u200edocument omitted\nRead it", "Read it", "1 attachment"),
        ("\u200ePOLL:\nWhen?\n\u200eOPTION: May (\u200e2 votes)", "POLL:\nWhen?\nOPTION: May (2 votes)", ""),
        ("\u200eUMFRAGE:\nWann?\n\u200eOPTION: Mai (0 Stimmen)", "UMFRAGE:\nWann?\nOPTION: Mai (0 Stimmen)", ""),
        ("Ask \u2068@Ada\u2069. \u200e<This message was edited>", "Ask @Ada.", ""),
        ("\u200eMissed voice call, \u200eTap to call back", "", "1 system line"),
    ],
)
def test_people_words_beside_marked_lines_of_ios_are_kept(line: str, words: str, left_out: str, tmp_path: Path):
    """Captions and polls, without invisible marks; attachments and lines of the program are counted."""
    text = f"[4/4/26, 9:01:00\u202fAM] Ines: Hi\n[4/4/26, 9:02:00\u202fAM] Bo: {line}\n"
    log = read({"chat.txt": text}, tmp_path)
    assert isinstance(log, ChatLog)
    assert [message["content"] for message in log.messages[1:]] == ([words] if words else [])
    assert [note for note in log.notes if "left out" in note] == ([f"left out: {left_out}"] if left_out else [])


@pytest.mark.parametrize(
    "line",
    [
        "Bo changed the subject to: Kiln",
        "Bo hat den Betreff geändert zu: Ofen",
        "Bo cambió el asunto a: Horno",
        "Bo alterou o assunto para: Forno",
    ],
)
def test_a_change_of_a_group_has_no_speaker(line: str, tmp_path: Path):
    """Its new name can follow a colon."""
    log = read({"chat.txt": f"4/4/26, 09:01 - Ines: Hi\n4/4/26, 09:02 - {line}\n"}, tmp_path)
    assert isinstance(log, ChatLog)
    assert told(log) == [("user", "Ines", "09:01", "Hi")]
    assert log.notes == ["left out: 1 system line"]


@pytest.mark.parametrize(
    ("line", "left_out"),
    [
        ("plan.pdf • 2 pages (file attached)", "1 attachment"),
        ("plan.pdf • 2 Seiten", "1 attachment"),
        ("Missed voice call", "1 system line"),
        ("Missed group video call", "1 system line"),
        ("Verpasster Sprachanruf", "1 system line"),
    ],
)
def test_documents_and_missed_calls_of_android_are_no_words(line: str, left_out: str, tmp_path: Path):
    """The note counts them as in iOS' file."""
    log = read({"chat.txt": f"4/4/26, 09:01 - Ines: Hi\n4/4/26, 09:02 - Bo: {line}\n"}, tmp_path)
    assert isinstance(log, ChatLog)
    assert [message["content"] for message in log.messages] == ["Hi"]
    assert f"left out: {left_out}" in log.notes


def test_the_user_can_be_chosen_by_name(tmp_path: Path):
    """A chosen user needs no note about the guess."""
    log = read(SAMPLES["Zoom"].files, tmp_path, Choice(user="Bo"))
    assert isinstance(log, ChatLog)
    assert [message["role"] for message in log.messages] == ["assistant", "user"]
    assert not log.notes


def test_a_chat_that_cannot_be_read_leaves_the_others_of_its_account(tmp_path: Path):
    """The error names the chat."""
    broken = telegram(name="Ada", messages=[{"type": "message", "text": "Hi"}])
    account = {"personal_information": {"user_id": 7}, "chats": {"list": [broken, telegram()]}}
    write({"result.json": account}, tmp_path)
    error, log = read_conversations([tmp_path])
    assert "cannot be read as Telegram, account: message 1 has no 'from'" in str(error)
    assert isinstance(log, ChatLog)
    assert told(log) == PAIR


@pytest.mark.parametrize(
    ("name", "text", "advice"),
    [
        ("chat.txt", "18:05:01\t From Ines to Everyone:\n\tHi\n", "this is Zoom's chat.txt; use the .vtt"),
        (
            "messages.html",
            "<html><title>Exported Data</title><div class='page_header'>",
            "this is Telegram, folder of HTML; export",
        ),
    ],
)
def test_a_form_that_is_not_read_gets_advice(name: str, text: str, advice: str, tmp_path: Path):
    """The error names the application, and the way to an export that is read."""
    assert advice in str(read({name: text}, tmp_path))


@pytest.mark.skipif(not GIVEN.is_dir(), reason="the folder of exports with their truth is not beside the checkout")
@pytest.mark.parametrize(
    "name",
    [
        *("whatsapp_android_us", "whatsapp_ios", "telegram_chat", "discord", "slack", "sillytavern"),
        *("rasa", "teams_vtt", "imessage_txt", "intercom"),
    ],
)
def test_exports_are_read_as_their_truth_says(name: str):
    """Roles, names, times, words and order are those of the truth."""
    [path] = (path for path in GIVEN.glob(f"{name}*") if ".truth" not in path.name)
    [truth] = json.loads((GIVEN / f"{name}.truth.json").read_text(encoding="utf-8"))
    [log] = read_conversations([path])
    assert isinstance(log, ChatLog)
    dates = (date.replace(microsecond=0) if date else None for date in log.dates)
    assert [
        {"role": message["role"], "text": " ".join(message["content"].split()), "name": message.get("name"), "at": date}
        for message, date in zip(log.messages, dates, strict=True)
    ] == [
        {"role": said["role"], "text": " ".join(said["text"].split()), "name": said.get("name")}
        | {"at": datetime.fromisoformat(said["at"]) if "at" in said else None}
        for said in truth["messages"]
    ]
