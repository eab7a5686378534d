"""Shows a conversation to several memories, and lets a model answer questions from the view of each memory."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeAlias

from memzoo.benchmarks.measure.evidence import score_question
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.play.played_memory import Frame, PlayedMemory, Tables, about, list_said
from memzoo.benchmarks.play.stored import Kept
from memzoo.benchmarks.results import OFFLINE
from memzoo.benchmarks.transcripts import Exchange, Question, Transcript
from memzoo.benchmarks.variants import Variant
from memzoo.errors import ModelError, OptionError
from memzoo.memories import BaseMemory, Model
from memzoo.memories.models.offline.answers import CANNOT
from memzoo.stores import InMemoryStore, Message
from memzoo.sync import drive, together
from memzoo.types import Completion

Line: TypeAlias = dict[str, Any]
"""A line of the page, as JSON: the start, a moment of the conversation, or a question. lines.md lists the members."""

# Seconds between two exchanges on the memories' clock, enough for a failed model to be asked again.
_APART = 600.0
_PURPOSE = "chat"
_QUESTIONS = 8


class Play:
    """Several memories of one conversation; after each exchange, they show views for the user's next message.

    Attributes:
        moment: The number of exchanges shown so far; -1 until the page has begun.
    """

    def __init__(
        self,
        talk: Transcript,
        variants: Sequence[Variant],
        settings: Settings,
        *,
        stored: Kept | None = None,
    ) -> None:
        """Make the memories.

        Args:
            talk: The conversation.
            variants: The memories; baselines are left out.
            settings: The settings: the model that answers, the budget, and the token counter.
            stored: The log and states of a stored conversation. The stored states are shown beside the new memories,
                and no exchange can be added.
        """
        self.talk, self._settings, self._stored = talk, settings, stored
        self.moment = -1
        self._now, self._seconds = datetime.now(UTC), 0.0
        self._tables, self._questions = Tables(), 0
        self._exchanges = list(talk.exchanges)
        self._said: dict[int, str] = {}
        shown = [one for one in variants if not one.baseline]
        self._by = next((one.learnt_by for one in shown if one.learnt), "")
        self._columns = [self._column(one) for one in shown]
        self._as_stored = [*filter(None, map(self._column_as_stored, shown))] if stored else []

    def lines(self) -> Iterator[Line]:
        """Yield the data of the page as lines: the memories, the first views, and the views after each exchange."""
        yield self._start()
        yield self._show()
        for exchange in self.talk.exchanges:
            yield self._save(exchange)

    def ask_known(self) -> Iterator[Line]:
        """Ask up to eight of the transcript's questions, and yield a line of the page's data for each."""
        known = self.talk.measured
        for one in known[:: -(-len(known) // _QUESTIONS) or 1]:
            yield self.ask(one.text, one.asked_after, one)

    def say(self, text: str, *, by: str = "", answer: str = "") -> list[Line]:
        """Add an exchange: a message of the user, and an answer.

        Args:
            text: The user's message.
            by: The memory from whose view the model answers; by default the first.
            answer: The answer; by default the model is asked.

        Returns:
            Two lines for the page: the views for this message, and the views after the exchange.

        Raises:
            OptionError: The message is empty, there is no such memory, or the conversation is a stored one.
            ModelError: The model failed; nothing was saved.
        """
        if self._stored:
            raise OptionError("a stored conversation can only be looked at")
        _check(text)
        reply = answer.strip()
        if not reply:
            view = self._find_column(by).memory.messages(text)
            reply = drive(self._settings.answering.complete(_with_question(view, text), _PURPOSE)).text
        # Only now: if the model failed after this call, the new pieces of this line would never reach the page.
        before = self._show(text, anew=True)
        said = [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
        self._now = datetime.now(UTC)
        self._exchanges.append(Exchange(tuple(said), ({}, {})))
        return [before, self._save(self._exchanges[-1])]

    def ask(self, text: str, moment: int | None = None, question: Question | None = None) -> Line:
        """Return the view of each memory for a question, and the model's answer from each view.

        Args:
            text: The question. It is not saved in the memories.
            moment: The number of exchanges before the question; by default all.
            question: The transcript's own question with this text; `None` if the transcript does not have it.

        Raises:
            OptionError: The question is empty, or there are fewer than `moment` exchanges.
        """
        _check(text)
        at = self.moment if moment is None else moment
        if not 0 <= at <= self.moment:
            raise OptionError(f"a question can be asked after 0 to {self.moment} exchanges, not after {at}")
        said = dict(itertools.islice(self._said.items(), self._messages(at)))
        found = {one.name: one.ask(at, text, self._tables, said) for one in self._columns_at(at)}
        answers = drive(together(self._answer(_with_question(view, text)) for _, _, view in found.values()))
        frames: dict[str, Frame] = {}
        for (name, (frame, view, _)), answer in zip(found.items(), answers, strict=True):
            says = score_question(question, tuple((one.role, one.text) for one in view)).answer if question else None
            frames[name] = {**frame, **answer, "says": says}
        self._questions += 1
        known = {"expected": question.answer, "evidence": question.evidence} if question else {}
        line = {"kind": "question", "number": self._questions, "text": text, "at": at, **known}
        return {**line, **self._tables.take_new(), "memories": frames}

    @property
    def by_rules(self) -> bool:
        """True if rules answer instead of a model; asking then costs nothing."""
        return self._settings.answering.name == OFFLINE

    def _start(self) -> Line:
        columns = [*self._columns, *self._as_stored]
        return {
            "kind": "start",
            "title": self.talk.title,
            "user": self.talk.user,
            "assistant": self.talk.assistant,
            "model": self._settings.answering.name,
            "rules": self.by_rules,
            "learnt_by": self._by,
            "counter": self._settings.counting.name,
            "moments": len(self.talk.exchanges),
            "stored": self._stored is not None,
            "memories": [
                {
                    "name": one.name,
                    "class": type(one.memory).__name__,
                    "about": about(one.memory),
                    "asks": one.asks,
                }
                for one in columns
            ],
            "questions": [one.text for one in self.talk.questions],
        }

    def _save(self, exchange: Exchange) -> Line:
        number = self.moment + 1
        self._now = exchange.date or self._now
        self._seconds = max(self._seconds + _APART, self._now.timestamp())
        for one in self._columns:
            one.save(exchange.records, f"exchange-{number}")
        for _, text in list_said(exchange.messages):
            place = len(self._said)
            self._said[self._stored[0][place].seq if self._stored else place + 1] = text
        return self._show()

    def _show(self, query: str | None = None, *, anew: bool = False) -> Line:
        """Return the line for the next moment; with `anew`, the line for the newest moment again, for this query."""
        self.moment += not anew
        at = self.moment
        if not anew and at < len(self._exchanges):
            query = self._exchanges[at].user_text
        frames = {one.name: one.frame(query, self._tables, self._said, anew=anew) for one in self._columns_at(at)}
        said = self._exchanges[at - 1] if at else None
        return {
            "kind": "moment",
            "number": at,
            "said": list_said(said.messages) if said else [],
            "numbers": list(self._said)[self._messages(at - 1) :] if at else [],
            "date": said.date.isoformat() if said and said.date else "",
            "next": query,
            **self._tables.take_new(),
            "memories": frames,
        }

    def _columns_at(self, moment: int) -> list[PlayedMemory]:
        """Return the memories shown at a moment; those with stored states are shown only at the end."""
        return [*self._columns, *(self._as_stored if moment == len(self.talk.exchanges) else ())]

    def _messages(self, moment: int) -> int:
        """Return the number of messages before a moment."""
        return sum(len(one.messages) for one in self._exchanges[:moment])

    def _find_column(self, name: str) -> PlayedMemory:
        known = {one.name: one for one in self._columns}
        if name and name not in known:
            raise OptionError(f"there is no memory {name!r} here; there are {', '.join(known)}")
        return known[name] if name else self._columns[0]

    def _column(self, variant: Variant) -> PlayedMemory:
        settings = self._settings
        model: Model = settings.answering if variant.model is None else settings.model_of(variant.model)
        if variant.learnt:
            model = _Resting()
        store = InMemoryStore(clock=lambda: self._now)
        entries = self._stored[0] if self._stored else ()
        # Deleted messages leave gaps in the log numbers of the store; the new log of this memory has no gaps.
        numbers = {place: entry.seq for place, entry in enumerate(entries, start=1)}
        return PlayedMemory(
            variant.name, lambda opened: self._make(variant, model, opened), store, numbers, variant.learnt
        )

    def _column_as_stored(self, variant: Variant) -> PlayedMemory | None:
        """Return a memory with its stored state; `None` if the store has no state for the memory."""
        entries, states = self._stored or ((), {})
        empty = self._make(variant, _Resting(), InMemoryStore())
        if not (known := {one.name: states[one.name] for one in empty.learners if one.name in states}):
            return None
        store = InMemoryStore()
        drive(store.restore(variant.name, entries, known))
        return PlayedMemory(f"{variant.name}, as stored", lambda opened: self._make(variant, _Resting(), opened), store)

    def _make(self, variant: Variant, model: Model, store: InMemoryStore) -> BaseMemory:
        # A page that steps through the exchanges shows what each of them taught.
        made = replace(variant, options={"learn_every": 1, **variant.options}).make(
            self._settings.budgets[0],
            llm=model,
            conversation_id=variant.name,
            store=store,
            clock=lambda: self._seconds,
            human_prefix=self.talk.user,
            ai_prefix=self.talk.assistant,
            token_counter=self._settings.counting.of_message,
            **(
                {"learn": "later", "on_model_error": "defer"}
                if isinstance(model, _Resting)
                else {"on_model_error": "raise"}
            ),
        )
        if made is None:
            raise OptionError(f"{variant.name!r} is a baseline, so it has no memory to look at")
        return made

    async def _answer(self, request: Sequence[Message]) -> dict[str, Any]:
        try:
            found = await self._settings.answering.complete(request, _PURPOSE)
        except ModelError as error:
            return {"answer": "", "error": str(error)}
        return {"answer": "" if found.text == CANNOT else found.text}


class _Resting:
    """The model of a memory with a stored or recorded state; every call fails, so the memory learns nothing."""

    name = "nobody"

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        """Raise `ModelError`, so that messages not learnt yet stay pending."""
        raise ModelError(f"the page shows the stored state, and asks no model for {purpose}")


def _with_question(view: Sequence[Message], text: str) -> list[Message]:
    return [*view, {"role": "user", "content": text}]


def _check(text: str) -> None:
    if not text.strip():
        raise OptionError("the text is empty: write a message or a question")
