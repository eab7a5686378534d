"""Reads meeting transcripts in WebVTT, as Teams and Zoom write them."""

import html
import re
from collections.abc import Iterator

from memzoo.errors import TransferError
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.talks import Talk

_TIMES = re.compile(r"(?:\d+:)?\d\d:\d\d\.\d{3} --> ")
_VOICE = re.compile(r"<v(?:\.[^\s<>]{0,100})? ([^<>\n]{1,200})>([^<]*(?:<(?!v[ .]|/v>)[^<]*)*)")
_NAME = re.compile(r"([^:\n]{1,60}): ")
_TAG = re.compile(r"</?[^<>\n]{1,60}>")


def read(text: str, title: str) -> Iterator[ChatLog]:
    """Yield the meeting. Consecutive cues of the same speaker become one message, without a date.

    Raises:
        TransferError: The file names no speaker, or names one in less than half of its cues.
    """
    said: list[tuple[str, list[str]]] = []
    talk, named, unnamed = Talk(title), 0, 0
    for block in re.split(r"\n{2,}", text.replace("\r\n", "\n")):
        lines = block.split("\n")
        start = next((place for place, line in enumerate(lines) if _TIMES.match(line)), None)
        if sum("-->" in line for line in lines) != (start is not None):
            raise TransferError(f"expected a time and text, not {block!r:.80}")
        words = "" if start is None else "\n".join(lines[start + 1 :])
        if not words.strip():
            continue  # the head, a note, a style or an empty cue
        voices = [(voice[1], voice[2]) for voice in _VOICE.finditer(words)]
        if not voices and (label := _NAME.match(words)):
            voices = [(label[1], words[label.end() :])]
        named += bool(voices)
        unnamed += not voices
        for name, part in voices:
            spoken = html.unescape(_TAG.sub("", part)).strip()
            if said and said[-1][0] == name:
                said[-1][1].append(spoken)
            else:
                said.append((name, [spoken]))
    if not said:
        raise TransferError("these are subtitles without speakers: no cue begins with <v Name> or Name:")
    if named < unnamed:
        told = "so these may be subtitles without speakers"
        raise TransferError(f"{unnamed} of {named + unnamed} cues do not begin with <v Name> or Name:, {told}")
    talk.leave_out("unnamed cue", unnamed)
    for name, parts in said:
        talk.say(html.unescape(name).strip(), "\n".join(parts))
    yield talk.log()
