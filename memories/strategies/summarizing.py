"""The base class of the strategies that keep a summary."""

import contextlib
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.prompt_limit import TooLongError, count_for_prompt
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.models.replies import prose
from memzoo.memories.options import strategy
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.text.grouping import exchange_ends
from memzoo.memories.text.language import content_stems, join_sentences, sentences
from memzoo.memories.text.messages import quote_turns
from memzoo.stores import Entry, Message
from memzoo.sync import blocking, drive

logger = logging.getLogger("memzoo")


@strategy
class SummarizingMemory(ModelBackedMemory):
    """Keeps a summary, which a model updates with new messages."""

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Return the summary updated with the new messages."""
        old = summary_of(state)
        if entries:
            lines, dated = self.render.lines(entries), self.render.dated_lines(entries)
            several = sum(1 for _ in exchange_ends(entries)) > 1
            new = await self._write(old, lines, dated, divisible=several)
            try:
                new = await self._bound(new)
            except ModelError as error:
                # Keep the new summary, which was paid for; a later step shortens it.
                logger.warning("the summary is longer than its limit until it can be shortened: %s", error)
                return Changes({"summary": new})
        else:
            new = await self._bound(old)
        over = self.max_state_tokens if self._too_long(new) else None
        tried = {} if over == state.items.get(_OVER) else {_OVER: over}
        return Changes(tried if new == old else {**tried, "summary": new})

    async def oldest_needed(self, log: Log, state: State) -> int:
        """Return the log number of the first message that is not summarised yet."""
        return state.watermark + 1

    async def apredict_new_summary(self, messages: Sequence[Message], existing_summary: str) -> str:
        """Return a summary updated with messages, which come oldest first. Nothing is stored.

        If the messages add nothing, `existing_summary` is returned. If the new summary exceeds `max_state_tokens`, the
        model is asked once more, to shorten it.

        Raises:
            ModelError: The model failed or refused, or its reply was empty.
        """
        lines = "\n".join(map(self.render.labels.line, map(self._redactor.message, messages)))
        return await self._bound(await self._write(self._redactor.text(existing_summary), lines, lines))

    predict_new_summary = blocking(apredict_new_summary)

    @property
    def summary(self) -> str:
        """The stored summary; "" before the first summary. Call `settle` first to include all messages."""
        return summary_of(drive(self._known_state()))

    def _quote_summary(self, state: State) -> str:
        """Return the summary as shown before a transcript, with quote marks against forged turns."""
        return quote_turns(f"\n{summary_of(state)}", self.render.labels.names)[1:]

    def is_over_limit(self, state: State) -> bool:
        """Return whether the summary is too long and the model has not been asked yet to shorten it."""
        return state.items.get(_OVER) != self.max_state_tokens and self._too_long(summary_of(state))

    async def _bound(self, summary: str) -> str:
        """Return the summary, shortened by the model if over the limit; a summary still too long is kept whole."""
        if not self._too_long(summary):
            return summary
        # If shortening fails, keep the summary: its only fault is its length.
        with contextlib.suppress(ModelReplyError, TooLongError):
            shorter = await self._write(summary)
            summary = min(summary, shorter, key=self.render.counter.of_text)
        if self._too_long(summary):
            tokens, most = self.render.counter.of_text(summary), self.max_state_tokens
            logger.warning("the summary is kept whole, although its %s tokens are more than %s", tokens, most)
        return summary

    async def _write(
        self, summary: str, new_lines: str = "", dated_new_lines: str = "", *, divisible: bool = False
    ) -> str:
        """Return a summary updated by the model; without new lines, shortened by the model.

        If the summary is too long for a prompt, the model sees and rewrites only the sentences most related to the new
        lines; the other sentences stay unchanged.

        Args:
            summary: The summary so far.
            new_lines: The new messages.
            dated_new_lines: The new messages with headings of days.
            divisible: True if the new messages are several exchanges, and fewer can be summarised in a call.

        Raises:
            TooLongError: The prompt is too long, and may fit with fewer new lines.
        """
        given = {"new_lines": new_lines, "dated_new_lines": dated_new_lines}

        def describe(text: str) -> dict[str, Any]:
            target = max(int(_SHARE * self._target), 1)
            return {"summary": text, "length": self._tokens_of(text), "target": target}

        try:
            return await self._ask_for_summary(summary, {**given, **describe(summary)})
        except TooLongError as error:
            prompts = self._retry.prompts
            spare = prompts.tokens - count_for_prompt(self._templates.render("summary", **given, **describe("")))
            hidden, shown = _part(summary, new_lines, spare - _TOKENS_AROUND)
            if error.asked or divisible or spare < prompts.tokens // 8 or not hidden:
                raise
        return "\n".join([hidden, await self._ask_for_summary(shown, {**given, **describe(shown)})])

    async def _ask_for_summary(self, old: str, given: Mapping[str, Any]) -> str:
        """Return the model's new summary; if the reply is cut off, ask once more for a shorter summary."""
        try:
            reply = await self._ask("summary", **given)
        except ModelReplyError as error:
            sample = old or given["dated_new_lines"]
            received = (error.cut_after or 0) * self._tokens_of(sample) // max(len(sample), 1)
            target = max(received * _OF_A_CUT_ONE // 100, 1)
            if not error.cut_after or "target" not in self._templates.variables("summary"):
                raise
            reply = await self._ask("summary", **{**given, "target": min(target, given["target"])})
        return prose(reply, "summary", old)

    def _tokens_of(self, text: str) -> int:
        """Count the tokens of a text; without a limit, estimate the tokens from the bytes."""
        if self.max_state_tokens:
            return self.render.counter.of_text(text) if text else 0
        return -(-len(text.encode(errors="replace")) // _BYTES_PER_TOKEN)

    @property
    def _target(self) -> int:
        """The most tokens that a summary should have."""
        return self.max_state_tokens or self._retry.prompts.usual // 4

    def _too_long(self, summary: str) -> bool:
        if self.max_state_tokens is None or not summary:
            return False
        return self.render.counter.of_text(summary) > self.max_state_tokens


# The tokens of the prompt's words about the length of a summary.
_TOKENS_AROUND = 32
# Models count badly: the prompt asks for a little less than the limit.
_SHARE = 0.95
# The length to ask for after a reply was cut off, in percent of the reply's length.
_OF_A_CUT_ONE = 75
_BYTES_PER_TOKEN = 4
# The key of the limit that a model failed to keep to when it shortened the summary.
_OVER = "over"


def _part(summary: str, new_lines: str, tokens: int) -> tuple[str, str]:
    """Return a summary in two parts: the sentences less related to new lines, and the most related sentences.

    The second part has at most `tokens` tokens. Each part keeps the order and the line breaks of the summary.
    """
    words = frozenset(content_stems(new_lines))
    lines = [sentences(line) for line in summary.split("\n")]
    worth = {
        (row, place): len(words.intersection(content_stems(sentence)))
        for row, line in enumerate(lines)
        for place, sentence in enumerate(line)
    }
    shown = set[tuple[int, int]]()
    # Among equally related sentences, the last come first: they are the newest.
    for row, place in sorted(worth, key=lambda at: (-worth[at], (-at[0], -at[1]))):
        if (size := count_for_prompt(lines[row][place]) + 1) <= tokens:
            tokens -= size
            shown.add((row, place))
    hidden, seen = (
        "\n".join(
            text
            for row, line in enumerate(lines)
            if (text := join_sentences(one for place, one in enumerate(line) if ((row, place) in shown) == wanted))
        )
        for wanted in (False, True)
    )
    return hidden, seen


def summary_of(state: State) -> str:
    """Return the summary in a state; "" before the first summary."""
    return str(state.items.get("summary", ""))
