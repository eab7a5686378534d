"""Reads transcripts from files, folders, ZIPs and standard input, in the formats that `memzoo.hosts.exports` knows."""

import importlib.resources
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from memzoo.benchmarks.paths import path_of
from memzoo.benchmarks.transcripts import locomo, longmemeval, realmem, statebench
from memzoo.benchmarks.transcripts.conversations import Transcript, TranscriptMessage, exchanges_of
from memzoo.benchmarks.transcripts.own import chat_of, sessions_of
from memzoo.errors import MemoryZooWarning, MissingExtraError, OptionError, TransferError
from memzoo.hosts.exports.chat_log import ChatLog, count, reason
from memzoo.hosts.exports.files import FoundDocument
from memzoo.hosts.exports.options import split_choice
from memzoo.hosts.exports.reading import Choice, choose_last, find_in, read_document
from memzoo.warned import warn_caller

STDIN = "-"
"""The path that stands for standard input."""

_SAMPLE = "sample:"
_WITH_QUESTIONS: dict[str, Callable[[Any, str, str], Transcript]] = {
    "LoCoMo": locomo.transcript_of,
    "LongMemEval": longmemeval.transcript_of,
    "RealMem": realmem.transcript_of,
    "StateBench": statebench.transcript_of,
    "memzoo sessions": sessions_of,
    "chat messages": chat_of,
}
"""Functions that read a form of files with questions or marks, by the form's name."""

_SAMPLES = {"en": "sample.json", "zh": "sample_zh.json", "survival": "survival.json"}


def read_transcripts(
    paths: Iterable[str | Path],
    on_error: Callable[[TransferError], None] | None = None,
    on_note: Callable[[str], None] = lambda note: warn_caller(note, MemoryZooWarning),
) -> Iterator[Transcript]:
    """Yield the conversations of files, folders, ZIPs and URLs. Equal conversations are read only once.

    "-" stands for standard input, and "sample:en", "sample:zh" and "sample:survival" for bundled conversations. A list
    of conversations, or a JSON Lines file, is read one conversation at a time.

    Args:
        paths: The files, folders, ZIPs and URLs. Options may follow a path, as in "chats.zip:title=garden,last=5"; see
            docs/exports.md.
        on_error: A function that is called for each part that cannot be read; by default, a MemoryZooWarning is
            issued.
        on_note: A function that is called with a sentence if repeated conversations were left out; by default, a
            warning is issued.

    Raises:
        TransferError: Nothing can be read; the message names the line or index, and the format.
        OptionError: An option after a path is unknown, or has an invalid value.
    """
    chosen = [split_choice(path) if isinstance(path, str) else (path, Choice()) for path in paths]
    unread: list[TransferError] = []
    tell, has_any = on_error or (lambda error: warn_caller(str(error), MemoryZooWarning)), False
    for one in _read(chosen, on_note):
        if isinstance(one, Transcript):
            has_any = True
            yield one
        else:
            unread.append(one)
        while has_any and unread:
            tell(unread.pop(0))
    if unread:
        more = f"; and {len(unread) - 1} more cannot be read" if len(unread) > 1 else ""
        raise TransferError(f"{unread[0]}{more}") from unread[0].__cause__
    if not has_any:
        raise TransferError("; ".join(choice.describe_lack(str(path)) for path, choice in chosen))


def load_transcripts(path: str | Path) -> list[Transcript]:
    """Return the conversations of a file, folder or ZIP, or a bundled conversation such as "sample:en".

    The attribute `notes` of a conversation tells which parts of the file were left out or changed.

    Args:
        path: The file, folder or ZIP. Options may follow the path, as in "chats.zip:title=garden,last=5"; see
            docs/exports.md.

    Raises:
        TransferError: Nothing can be read. If only a part cannot be read, a MemoryZooWarning is issued.
    """
    return list(read_transcripts([path]))


def sample_path(language: str = "en") -> Path:
    """Return the path of a bundled conversation.

    Args:
        language: "en" for ten sessions about moving a bakery; "zh" for eight sessions about moving a lemon tree, in
            Chinese; "survival" for ten conversations in both languages, with marked lines.

    Raises:
        OptionError: There is no bundled conversation in this language.
    """
    if language not in _SAMPLES:
        raise OptionError(f"there is no bundled conversation in {language!r}; there are: {', '.join(_SAMPLES)}")
    return Path(str(importlib.resources.files("memzoo.benchmarks.data") / _SAMPLES[language]))


def sample_transcripts(language: str = "en") -> list[Transcript]:
    """Return the bundled conversations in a language; see `sample_path`."""
    return load_transcripts(sample_path(language))


def _read(
    chosen: Iterable[tuple[str | Path, Choice]], on_note: Callable[[str], None]
) -> Iterator[Transcript | TransferError]:
    known, repeated = set[int](), 0

    def read(path: str | Path, choice: Choice) -> Iterator[Transcript | TransferError]:
        nonlocal repeated
        language = str(path).removeprefix(_SAMPLE)
        is_sample = language != str(path)
        for found in find_in([sample_path(language) if is_sample else Path(STDIN) if path == STDIN else path_of(path)]):
            for id_, one in _of_document(found, choice):
                if isinstance(one, Transcript):
                    if (digest := hash((id_, repr(one)))) in known:
                        repeated += 1
                        continue
                    known.add(digest)
                yield one

    for path, choice in chosen:
        found = False
        for one in choose_last(read(path, choice), choice.last, lambda one: (part.date for part in one.exchanges)):
            found = True
            yield one
        if not found and (choice.title or choice.since):
            yield TransferError(choice.describe_lack(str(path)))
    if repeated:
        on_note(f"{count(repeated, 'repeated conversation')} left out: messages, title, id and dates are the same")


def _of_document(
    found: FoundDocument | TransferError, choice: Choice
) -> Iterator[tuple[str, Transcript | TransferError]]:
    """Yield the conversations of a document with their ids."""
    if isinstance(found, TransferError):
        yield "", found
    elif found.form.name in _WITH_QUESTIONS:
        yield from (("", one) for one in _with_questions(found, choice))
    else:
        for log in read_document(found, choice):
            yield ("", log) if isinstance(log, TransferError) else (log.id, _transcript_of(log))


def _with_questions(found: FoundDocument, choice: Choice) -> Iterator[Transcript | TransferError]:
    try:
        one = _WITH_QUESTIONS[found.form.name](found.document, found.where, found.title)
        if choice.takes(one.title, (part.date for part in one.exchanges)):
            if asked := [name for name in (choice.user, choice.assistant) if name]:
                told = f"its messages have roles, so {' and '.join(map(repr, asked))} chooses nobody"
                one = replace(one, notes=(*one.notes, told))
            yield one
    except TransferError as error:
        yield error
    except MissingExtraError:
        raise
    except Exception as error:  # noqa: BLE001 - there is no end to what a foreign file can hold
        refusal = TransferError(f"{found.where} cannot be read as {found.form.name}: {reason(error)}")
        refusal.__cause__ = error
        yield refusal


def _transcript_of(log: ChatLog) -> Transcript:
    said: list[TranscriptMessage] = []
    for message, date in zip(log.messages, log.dates, strict=True):
        # In a talk between people, a message of another day is no answer, and an exchange has one date.
        before = said[-1].date if said and message["role"] == "assistant" and message.get("name") else None
        opens = bool(before and date and date.date() > before.date())
        said.append(TranscriptMessage(dict(message), {}, date, opens=opens))
    return Transcript(log.title, exchanges_of(said), notes=tuple(log.notes))
