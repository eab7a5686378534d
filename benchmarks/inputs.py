"""Reads the conversations to compare."""

import functools
import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from memzoo.benchmarks.aggregate import MOST_QUESTIONS
from memzoo.benchmarks.checkpoint import settings_digest
from memzoo.benchmarks.drafting import gap_questions
from memzoo.benchmarks.measure.measuring import messages_in
from memzoo.benchmarks.results import QuestionInfo, TalkInfo, Talks
from memzoo.benchmarks.transcripts import Question, Transcript, read_transcripts, sample_path
from memzoo.benchmarks.transcripts.conversations import DRAFTED
from memzoo.benchmarks.transcripts.reading import STDIN
from memzoo.benchmarks.transcripts.validation import show_value
from memzoo.errors import OptionError, TransferError
from memzoo.hosts.exports.options import split_choice
from memzoo.memories.text.redaction import Redact, Redactor

Conversations: TypeAlias = Callable[[], Iterator[Transcript]]
"""A function that returns an iterator over the conversations at each call."""

Source: TypeAlias = Iterable[Transcript] | str | Path | Sequence[str | Path] | Conversations
"""Conversations: transcripts, files or folders with conversations, or a function that returns transcripts."""

_FIRST = 100


class Files:
    """A callable object that yields the conversations in some files.

    Files are read again at each call. Two kinds of input are read only once: standard input, and files from which
    only the longest conversations are taken.

    Attributes:
        unread: The errors about parts of files that cannot be read.
        taken: A sentence that says how many conversations are compared; "" if all are.
        repeated: A sentence that says how many conversations were given twice; "" if none were.
        advance: A function that is called after each conversation.
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        *,
        longest: int = 0,
        redact: Redact | None = None,
    ) -> None:
        """Prepare to read, without opening any file yet.

        Args:
            paths: The files, folders, ZIPs and URLs, with options if any; by default, a bundled conversation.
            longest: If no conversation has questions, take only the longest conversations, up to this number. 0 takes
                all. If a path has the option `last`, `longest` has no effect.
            redact: The names of the patterns to redact, or a function that redacts a text. This applies to every text.
        """
        self._paths = list(paths) or [sample_path()]
        chosen = [split_choice(path) for path in self._paths if isinstance(path, str)]
        self._is_typed = any(place == STDIN for place, _ in chosen)
        self._longest = 0 if any(choice.last is not None for _, choice in chosen) else longest
        self._redactor = Redactor(redact)
        self._kept: list[Transcript] | None = None
        self._is_looked_at = not self._longest
        self.unread = dict[str, None]()
        self.taken = self.repeated = ""
        self.advance: Callable[[], None] = lambda: None

    def __call__(self) -> Iterator[Transcript]:
        """Yield the conversations.

        Raises:
            TransferError: None can be read.
        """
        if self._kept is None and self._is_typed:
            self._kept = list(self._read())
        if not self._is_looked_at:
            self._is_looked_at = True
            self._keep_longest()
        yield from self._read() if self._kept is None else self._kept

    def _read(self) -> Iterator[Transcript]:
        def tell(error: TransferError) -> None:
            self.unread[str(error)] = None

        for one in read_transcripts(self._paths, tell, functools.partial(setattr, self, "repeated")):
            self.advance()
            yield one if self._redactor.is_idle else _redacted(one, self._redactor)

    def _keep_longest(self) -> None:
        """Keep the longest conversations, unless one has questions."""
        longest: list[tuple[int, int, Transcript]] = []
        number = 0
        for number, one in enumerate(self() if self._kept else self._read(), start=1):
            if one.questions:
                return
            heapq.heappush(longest, (len(one.exchanges), -number, one))
            if number > self._longest:
                heapq.heappop(longest)
        self._kept = [one for _, _, one in sorted(longest, key=lambda entry: -entry[1])]
        if number > self._longest:
            titles = ", ".join(repr(one.title) for one in self._kept)
            told = f"the {self._longest} longest of {number} conversations are taken (FILE:last=0 takes all)"
            self.taken = f"{told}: {titles}"


def _redacted(value: Any, redactor: Redactor) -> Any:
    """Return a part of a transcript with every text redacted; messages keep their structure."""
    match value:
        case str():
            return redactor.text(value)
        case tuple():
            return tuple(_redacted(one, redactor) for one in value)  # pyright: ignore[reportUnknownVariableType]
        case {"role": _}:
            return redactor.message(value)  # pyright: ignore[reportUnknownArgumentType]
        case dict():
            return {key: _redacted(one, redactor) for key, one in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _ if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{one.name: _redacted(getattr(value, one.name), redactor) for one in fields(value)})
        case _:
            return value


def source_of(transcripts: Source) -> Conversations:
    """Return a function that yields the given conversations at each call. Files given by path are read each time.

    Raises:
        OptionError: A given object is not a transcript. If `transcripts` is a function, the error comes only when the
            conversations are read.
    """
    if callable(transcripts):
        return lambda: map(_check_transcript, transcripts())
    if isinstance(transcripts, str | Path):
        return functools.partial(read_transcripts, [transcripts])
    if not isinstance(transcripts, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _wrong(transcripts)
    listed: list[Any] = list(transcripts)
    if all(isinstance(one, str | Path) for one in listed) and listed:
        return functools.partial(read_transcripts, listed)
    return functools.partial(iter, list(map(_check_transcript, listed)))


def _check_transcript(one: Any) -> Transcript:
    if not isinstance(one, Transcript):
        raise _wrong(one)
    return one


def _wrong(value: Any) -> OptionError:
    return OptionError(
        "transcripts must be files, folders or URLs, or else a list of Transcripts, as load_transcripts returns it; "
        f"not {show_value(value)}"
    )


def draft_missing(transcripts: Source) -> Conversations | None:
    """Return a function that yields the conversations, with questions drafted by rules.

    Return `None` if any conversation already has questions, or if the rules find nothing to ask.
    """
    source = source_of(transcripts)

    # Conversations are read again for each memory; their questions are drafted only once.
    drafted = dict[int, tuple[Question, ...]]()

    def with_questions() -> Iterator[Transcript]:
        for number, one in enumerate(source()):
            if number not in drafted:
                drafted[number] = tuple(gap_questions(one))
            yield replace(one, questions=drafted[number])

    if any(one.questions for one in source()) or not any(one.questions for one in with_questions()):
        return None
    return with_questions


class Survey:
    """A summary of all conversations and questions, for a comparison.

    Attributes:
        talks: The totals over all conversations, with a list of the first 100 conversations.
        questions: A pair for each question: the number of its conversation, and the kind of question.
        details: The questions that the report shows one by one: the first ones, up to `MOST_QUESTIONS`.
        marked: The number of marked lines (see `Mark`), such as rules and goals.
        remarks: Notes on the conversations, for example about evidence ids that belong to no message.
        digest: A digest of all messages and questions.

    Raises:
        OptionError: There are no conversations.
    """

    def __init__(self, source: Conversations) -> None:
        self.questions: list[tuple[int, str]] = []
        self.details: list[QuestionInfo] = []
        self.marked = 0
        self.remarks: list[str] = []
        first: list[TalkInfo] = []
        unusable: list[str] = []
        sums = Counter[str]()
        digests: list[str] = []
        for number, one in enumerate(source()):
            talk = self._look(number, one)
            first += [talk][: _FIRST - len(first)]
            unusable += one.unusable_evidence[: _FIRST - len(unusable)]
            sums.update(talk.model_dump(exclude={"title"}))
            drafts = sum(question.category.startswith(DRAFTED) for question in one.measured)
            sums.update(count=1, adversarial=one.adversarial, without_evidence=one.without_evidence, drafted=drafts)
            digests.append(settings_digest([repr(one)]))
        if not sums["count"]:
            raise OptionError("there must be at least one transcript to compare memories on")
        self.digest = settings_digest(digests)
        self.talks = Talks(**dict[str, Any](sums), unusable=tuple(unusable), first=tuple(first))

    def _look(self, number: int, one: Transcript) -> TalkInfo:
        asked = one.measured
        self.marked += sum(len(exchange.marks) for exchange in one.exchanges)
        self.questions += [(number, question.category) for question in asked]
        for question in asked[: MOST_QUESTIONS - len(self.details)]:
            known = asdict(question)
            del known["asked_after"], known["unusable"]
            self.details.append(QuestionInfo(transcript=number, **known))
        self.remarks += [f"{one.title}: {note}" for note in one.notes]
        self.remarks += [
            f"{one.title}: the question {question.text!r} cites {', '.join(question.unusable)}, but no message with "
            f"text has this id; {'only its other evidence counts' if question.evidence else 'it is not asked'}"
            for question in one.questions
            if question.unusable
        ]
        messages = sum(1 for _ in messages_in(one))
        return TalkInfo(title=one.title, exchanges=len(one.exchanges), messages=messages, questions=len(asked))
