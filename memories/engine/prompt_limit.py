"""The token limit of a prompt, and the steps of learning. A step takes as many whole exchanges as fit in a prompt."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories.models.refusals import find_context_length, is_too_long
from memzoo.memories.text.fitting import without_middle
from memzoo.memories.text.grouping import exchange_ends
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.view import Shortened
from memzoo.stores import Entry

_BYTES_PER_TOKEN = 3
# memzoo's own instructions must fit. Some servers embed no more than 512 tokens of a tokenizer.
_FEWEST_TOKENS = 1_024
# A message cut to fewer tokens would say nothing useful.
_SHORTEST_MESSAGE = 64
# The tokens of a speaker's label and a line end.
_TOKENS_AROUND = 4
# The tokens of the instructions in memzoo's longest prompt.
_INSTRUCTIONS = 1_050
# The share of a model's context for the prompt; the answer needs the rest.
_SHARE_OF_CONTEXT = 0.75


class TooLongError(ModelError):
    """A prompt is longer than the model can take.

    Attributes:
        asked: True if the endpoint refused the prompt; False if the model was not asked.
        shorter: True if the limit was lowered, and the next prompt will be shorter.
        excess: The tokens above the limit, if the model was not asked.
    """

    asked: bool = False
    shorter: bool = False
    excess: int = 0


class PromptLimit:
    """The token limit of prompts.

    Tokens are estimated: three bytes count as one token. Most texts have fewer tokens, which leaves room for the
    answer.

    Attributes:
        tokens: The current limit.

    Args:
        tokens: The limit that no prompt may exceed.
        usual: A lower limit for prompts about more than `learn_every` exchanges; by default `tokens`. Exchanges that do
            not fit are divided among several prompts.
    """

    def __init__(self, tokens: int, usual: int = 0) -> None:
        self.tokens = tokens
        self._usual = usual or tokens

    def check(self, prompt: str, purpose: str) -> None:
        """Raise a `TooLongError` if a prompt is over the limit."""
        if (size := count_for_prompt(prompt)) > self.tokens:
            error = TooLongError(
                f"the prompt {purpose!r} would have about {size} tokens; its limit is {self.tokens} "
                "(max_prompt_tokens, or the limit that the endpoint named); no model was asked"
            )
            error.excess = size - self.tokens
            raise error

    def learn(self, tokens: int) -> None:
        """Lower the limit to a number of tokens, but not below 1,024. Never raises the limit."""
        self.tokens = max(min(self.tokens, tokens), _FEWEST_TOKENS)

    @property
    def usual(self) -> int:
        """The current limit for prompts about more than `learn_every` exchanges."""
        return min(self.tokens, self._usual)

    @property
    def room(self) -> int:
        """The tokens available for new messages in a prompt. The rest is for the known state and the instructions."""
        return self.tokens // 2

    @property
    def room_for_known(self) -> int:
        """The tokens available for known notes or facts, in a prompt that shows only some of them."""
        return max(min(self.usual // 4, (self.usual - _INSTRUCTIONS) // 2), 0)

    def learn_from(self, error: ModelError, prompt: str) -> TooLongError | None:
        """Lower the limit if an error says that the prompt was too long.

        If the error states the model's context length, the new limit is a share of that. If this share is not below the
        size of the refused prompt, or no context length is stated, the new limit is half of the prompt's size.

        Returns:
            A `TooLongError` to raise instead of `error`; `None` if `error` has another cause.
        """
        if not is_too_long(error):
            return None
        stated = find_context_length(error)
        context = int(stated * _SHARE_OF_CONTEXT) if stated else self.tokens
        before, size = self.tokens, count_for_prompt(prompt)
        # The stated length may not be in estimated tokens: in any case, the limit goes below the refused size.
        self.learn(context if context < size else size // 2)
        too_long = TooLongError(str(error))
        too_long.asked, too_long.shorter = True, self.tokens < before
        return too_long


def count_for_prompt(text: str) -> int:
    """Return the estimated number of tokens of a text: one for every three bytes, rounded up."""
    size = len(text) if text.isascii() else len(text.encode(errors="replace"))
    return -(-size // _BYTES_PER_TOKEN)


def cut_middle(text: str, tokens: int) -> str:
    """Return a text of at most `tokens` tokens: the middle of a longer text is replaced by "[... left out ...]"."""
    if count_for_prompt(text) <= tokens:
        return text
    # The more bytes the characters have, the fewer characters fit.
    kept = len(text) * max(tokens - 16, 0) // count_for_prompt(text)
    half = kept // 2
    while half and count_for_prompt(text[:half] + text[-half:]) > tokens - 16:
        half = half * 9 // 10
    return without_middle(text, 2 * half)


class LearningStep(NamedTuple):
    """The messages for one call of `derive`. A step without messages only shortens a state that is over its limit.

    Attributes:
        entries: Messages, oldest first. If a prompt has no room for them in full, some are cut.
        is_last: True if no other messages wait.
    """

    entries: Sequence[Entry]
    is_last: bool


def next_step(
    waiting: Sequence[Entry], ripe: int, tokens: int, most: int, *, portion: int = 1, usual: int | None = None
) -> LearningStep:
    """Return the next step: the oldest whole exchanges that fit in a prompt.

    If even the first exchange does not fit, the step has that exchange's first messages, cut if necessary.

    Args:
        waiting: All messages not learnt from yet, oldest first.
        ripe: The number of messages to learn from now, counted from the oldest.
        tokens: The token limit for a step of at most `portion` exchanges.
        most: The maximum number of exchanges; 0 for any number.
        portion: The largest number of exchanges for which the limit is `tokens`.
        usual: The token limit for a step of more than `portion` exchanges, if it is lower than `tokens`.
    """
    size = fitting = 0
    for count, end in enumerate(exchange_ends(waiting[:ripe]), 1):
        size += sum(map(size_of, waiting[fitting:end]))
        room = tokens if usual is None or count <= portion else min(tokens, usual)
        if size > room or (most and count > most):
            break
        fitting = end
    entries = waiting[:fitting]
    if not fitting:  # at least two messages: a question and the next message
        fitting = next(exchange_ends(waiting[:ripe]))
        sizes = itertools.accumulate(map(size_of, waiting[:fitting]))
        fitting = next((place for place, size in enumerate(sizes) if size > tokens and place > 1), fitting)
        entries = shorten_entries(waiting[:fitting], tokens)
    return LearningStep(entries, fitting == len(waiting))


def size_of(entry: Entry) -> int:
    """Return the tokens that a message takes in a prompt, as `PromptLimit` counts them."""
    return count_for_prompt(text_of(entry.message)) + _TOKENS_AROUND


def smaller_room(room: int, step: LearningStep, error: ModelError) -> int:
    """Return the token limit of a smaller step to try at once; 0 if a smaller step would not help.

    A smaller step helps if the prompt was too long, or if the reply about several exchanges was cut off.
    """
    ends = [*exchange_ends(step.entries)]
    first = sum(map(size_of, step.entries[: ends[0]])) if len(ends) > 1 else 0
    if isinstance(error, ModelReplyError) and error.cut_after is not None and first:
        return max(sum(map(size_of, step.entries)) // 2, first)
    least = first or _SHORTEST_MESSAGE
    if isinstance(error, TooLongError) and not error.asked and room > least:
        return max(room - max(error.excess, room // 8), least)
    return 0


def shorten_entries(entries: Sequence[Entry], tokens: int) -> Sequence[Entry]:
    """Return entries that together fit in a prompt; if necessary, the longest entries are cut in the middle."""
    texts = [text_of(entry.message) for entry in entries]
    sizes = list(map(count_for_prompt, texts))
    if sum(sizes) <= tokens:
        return entries
    longest = _longest_allowed(sizes, tokens)
    return [
        entry if size <= longest else reword(entry, cut_middle(text, longest))
        for entry, text, size in zip(entries, texts, sizes, strict=True)
    ]


def _longest_allowed(sizes: Sequence[int], tokens: int) -> int:
    """Return the size to which longer texts must be cut so that all texts fit together."""
    ordered, before = sorted(sizes), 0
    for place, size in enumerate(ordered):
        others = len(ordered) - place
        if before + size * others > tokens:
            return max((tokens - before) // others, 1)
        before += size
    return max(ordered, default=0)


def reword(entry: Entry, text: str) -> Shortened:
    """Return an entry whose message keeps its role and name, and has a new text as content.

    Tool calls are dropped, so the text should describe them.
    """
    named = {key: value for key, value in entry.message.items() if key in ("role", "name")}
    return Shortened(entry.seq, named | {"content": text}, entry.turn_id, entry.created_at, entry.fields)
