"""Reads WhatsApp's export of a chat as text, from Android or iOS."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.talks import Talk, entries_of

_HEAD = re.compile(
    r"[\u200e\u200f]*+(\[?)(\d{1,4})[\u200e\u200f]?([-/.])\s?(\d{1,2})[\u200e\u200f]?[-/.]\s?(\d{1,4})([^\d\n]{1,16})"
    r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?\s?(?:([ap](?=\.?\s?m)|[صم])(?:\.?\s?m\.?)?)?(\]|\s-|:|)\s",
    re.IGNORECASE,
)
_AFTERNOON = re.compile("下午|오후|午後|晚上")
_MORNING = re.compile("上午|오전|午前|凌晨|早上")
_NAME = re.compile(r"([^:\n\"“„«]{1,100})(?:: |:\Z)")
_CHANGE = re.compile(
    r"[^:\n]{1,100} (?:(?:changed|updated|created) (?:the |this )?(?:group|subject)"
    r"|(?:hat|hast) (?:den|die|das) (?:Betreff|Gruppe|Beschreibung)"
    r"|(?:cambió|cambiaste|creó|creaste) (?:el|la) (?:asunto|nombre|grupo|descripción)"
    r"|(?:alterou|mudou|mudaste|criou|criaste) (?:o|a) (?:assunto|nome|grupo|descrição))",
    re.IGNORECASE,
)
"""The words of WhatsApp about a change of a group, whose new name can follow a colon."""
_ATTACHED = re.compile(r"\u200e?[^\n]{1,200}\.\w{2,5} \([^()\n]{3,40}\)(?:\n|$)")
_DOCUMENT = re.compile(r"[^\n]{1,200}\.\w{2,5} • [\u200e\u200f]?\d[^\n]{1,300}(?:\n|$)")
_MARKED = re.compile(r"[ \t]?\u200e<([^<>\n]{1,200})>$", re.MULTILINE)
_FILE = re.compile(r"\.\w{2,5}$")
_CALL = re.compile(r"Missed (?:group )?(?:voice|video) call|Verpasster (?:Gruppen-)?(?:Sprach|Video)anruf")
_EDITED = re.compile(
    r"<[^<>\n]{0,40}(?:edited|bearbeitet|editó|editada|modifié|modificato|bewerkt|düzenlendi)[^<>\n]{0,10}>$"
)
_INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks of the direction of writing, which WhatsApp puts around names, numbers and words of its own."""
_MARKS = "\u200e\u200f\u202f ~"
_OWN_DELETED = (
    *("you deleted this message", "du hast diese nachricht gelöscht", "eliminaste este mensaje"),
    *("vous avez supprimé ce message", "você apagou esta mensagem", "hai eliminato questo messaggio"),
    *("je hebt dit bericht verwijderd", "u hebt dit bericht verwijderd", "вы удалили данное сообщение"),
    *("bu mesajı sildiniz", "anda telah menghapus pesan ini", "usunąłeś(aś) tę wiadomość"),  # noqa: RUF001 - Turkish
    *("du raderade detta meddelande", "このメッセージを削除しました", "삭제한 메시지입니다", "您已删除这条消息"),
    *("您已刪除此訊息", "أنت حذفت هذه الرسالة", "מחקת הודעה זו", "आपने यह संदेश मिटाया"),
)
_DELETED = (
    *("this message was deleted", "diese nachricht wurde gelöscht", "se eliminó este mensaje"),
    *("ce message a été supprimé", "esta mensagem foi apagada", "essa mensagem foi apagada", "mensagem apagada"),
    *("questo messaggio è stato eliminato", "dit bericht is verwijderd", "este mensaje fue eliminado"),
    *("данное сообщение удалено", "bu mesaj silindi", "pesan ini telah dihapus", "ta wiadomość została usunięta"),
    *("detta meddelande raderades", "このメッセージは削除されました", "이 메시지는 삭제되었습니다", "此訊息已刪除"),
    *("这条消息已被删除", "تم حذف هذه الرسالة", "הודעה זו נמחקה", "यह संदेश मिटाया गया"),
)


def is_text(head: str) -> bool:
    """Return whether a text begins with a date and a time."""
    return _head_of(head.lstrip()) is not None


def read(text: Any, title: str) -> Iterator[ChatLog]:
    """Yield the chat in a text or a folder. The times have no zone, and are read as UTC.

    The speaker of "You deleted this message" is the user. If a chat between two people lacks this message, and the file
    is named after one of them, the other one is the user.

    Raises:
        TransferError: The dates have no common order of day, month and year.
    """
    text = text if isinstance(text, str) else (text / "_chat.txt").read_text(encoding="utf-8-sig")
    first = _head_of(text.lstrip())

    def head_of(line: str) -> re.Match[str] | None:
        # A message may quote another chat: only the form of the first line begins a message.
        head = _head_of(line)
        return head if head and first and (head[1], head[11]) == (first[1], first[11]) else None

    entries = entries_of(text, head_of)
    talk, is_ios = Talk(title, is_text=True), bool(entries[0][0][1])
    dates = _dates([head for head, _ in entries], talk)
    owners: set[str] = set()
    said: list[tuple[str, str, datetime]] = []
    for (_, lines), date in zip(entries, dates, strict=True):
        words = "\n".join(lines).rstrip()
        label = None if _CHANGE.match(words) else _NAME.match(words)
        name, words = (_INVISIBLE.sub("", label[1]).strip(_MARKS), words[label.end() :]) if label else ("", words)
        if words.strip(_MARKS).rstrip(".。").lower() in _OWN_DELETED:
            owners.add(name)
        words, noun = _read_words(words, is_ios=is_ios) if name else ("", "system line")
        if noun:
            talk.leave_out(noun)
        talk.leave_out("line after a system line", 0 if name else sum(bool(line.strip()) for line in lines[1:]))
        if words:
            said.append((name, words, date))
    names = dict.fromkeys(name for name, _, _ in said)
    if not owners and len(names) == 2:  # noqa: PLR2004 - a pair
        owners = {name for name in names if not title.endswith(name)}
        if len(owners) == 1:
            told = "is the user, because the file is named after the other (FILE:user=NAME chooses another)"
            talk.notes.append(f"{next(iter(owners))!r} {told}")
    for name, words, date in said:
        talk.say(name, words, date, is_user=name in owners if len(owners) == 1 else None)
    yield talk.log()


def _head_of(line: str) -> re.Match[str] | None:
    head = _HEAD.match(line)
    # Only where a point ends the date, there can be no mark after the time.
    return head if head and (head[11] or head[6].startswith(".")) else None


def _read_words(words: str, *, is_ios: bool) -> tuple[str, str]:
    """Return the words of a message, and the kind of its part that nobody said; "" for none."""
    if words.strip(_MARKS).rstrip(".。").lower() in (*_OWN_DELETED, *_DELETED):
        return "", "deleted message"
    noun = ""
    if is_ios:
        noun = "attachment" if any(map(_FILE.search, _MARKED.findall(words))) else ""
        words = _MARKED.sub("", words)
        first, _, others = words.partition("\n")
        # iOS marks words of its own with U+200E, in every language; people's words follow a heading such as "POLL:".
        if first.startswith("\u200e") and not (others and first.rstrip(_MARKS).endswith((":", "\uff1a"))):
            is_file = _DOCUMENT.fullmatch(first)
            words, noun = others, noun or ("attachment" if is_file else "system line")
    else:
        words = _EDITED.sub("", words)
        if attached := _ATTACHED.match(words):
            words, noun = words[attached.end() :], "attachment"
    if document := _DOCUMENT.match(words):
        words, noun = words[document.end() :], "attachment"
    words = _INVISIBLE.sub("", words).strip()
    if _CALL.fullmatch(words):
        return "", "system line"
    return ("", noun or "attachment") if re.fullmatch(r"<[^<>\n]{2,60}>|null|", words) else (words, noun)


def _dates(heads: list[re.Match[str]], talk: Talk) -> list[datetime]:
    """Return the times of the messages; the order of day and month is found from all dates of the file."""
    # Where points stand in dates, the day is always first.
    orders = ("ymd",) if len(heads[0][2]) == len("2026") else ("dmy",) if heads[0][3] == "." else ("dmy", "mdy")
    read = {order: [_date(head, order) for head in heads] for order in orders}
    fits = {order: dates for order, dates in read.items() if None not in dates}
    if not fits:
        bad = next((head[0] for head in heads if not any(_date(head, order) for order in read)), heads[0][0])
        raise TransferError(f"the dates have no common order of day, month and year; the first that fails is {bad!r}")
    # A chat is in the order of time, so the wrong order of day and month makes it fall back.
    falls = {order: sum(b < a for a, b in pairwise(dates) if a and b) for order, dates in fits.items()}
    least = [order for order in falls if falls[order] == min(falls.values())]
    spans = {order: max(filter(None, fits[order])) - min(filter(None, fits[order])) for order in least}
    chosen = min(least, key=spans.__getitem__)
    if len(least) > 1 and fits[least[0]] != fits[least[1]]:
        # American English, which alone has the month first, writes "AM" and "PM", and dates as in "2/3/26".
        is_short = all(len(head[5]) == len("26") and "0" not in (head[2][0], head[4][0]) for head in heads)
        is_open = is_short or len(set(spans.values())) == 1
        if is_open and any(head[10] in ("A", "P") and head[3] == "/" for head in heads):
            chosen = "mdy"
        talk.notes.append(
            "the dates do not show whether the day or the month comes first; "
            f"they are read with the {'day' if chosen == 'dmy' else 'month'} first"
        )
    return [date for date in fits[chosen] if date]


def _date(head: re.Match[str], order: str) -> datetime | None:
    parts = dict(zip(order, (head[2], head[4], head[5]), strict=True))
    day, month, year = parts["d"], parts["m"], parts["y"]
    if len(year) not in (2, 4) or max(len(day), len(month)) > 2:  # noqa: PLR2004 - digits
        return None
    hour, afternoon = int(head[7]), (head[10] or "").lower() in ("p", "م") or bool(_AFTERNOON.search(head[6]))
    if afternoon or head[10] or _MORNING.search(head[6]):
        hour = hour % 12 + 12 * afternoon
    try:
        full = int(year) if len(year) == len("2026") else 2000 + int(year)
        return datetime(full, int(month), int(day), hour, int(head[8]), int(head[9] or 0), tzinfo=UTC)
    except ValueError:
        return None
