"""The texts of the conversations that `speed` measures."""

import itertools
import random
from collections.abc import Iterator

from memzoo.stores import Message

# The higher the number of a word in `talk`, the rarer the word. A frequent word here occurs in about a hundredth of the
# messages, a rare word in about ten of 10,000 messages.
FREQUENT = range(10, 16)
RARE = range(2000, 2006)

_WORDS = (
    "the first thing that we did when we came back from the lake was to look for the old map of the city and then we "
    "made some tea and read to each other from the book about ships that my sister had left on the table"
).split()


def exchanges() -> Iterator[tuple[str, str]]:
    """Yield an endless series of different exchanges of about 100 tokens."""
    for number in itertools.count():
        start = number % len(_WORDS)
        words = " ".join(_WORDS[start:] + _WORDS[:start])
        yield f"{words}, question {number}", f"{words}, answer {number}"


def messages(count: int, *, rare_words: bool = False) -> list[Message]:
    """Return `count` chat messages of about 50 tokens each.

    With `rare_words`, the messages come from `talk`, where most words are rare.
    """
    if rare_words:
        return list(itertools.islice(itertools.chain.from_iterable(talk()), count))
    said = itertools.islice(itertools.chain.from_iterable(exchanges()), count)
    roles = itertools.cycle(("user", "assistant"))
    return [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]


def question(words: range) -> str:
    """Return a question made of words that occur in `talk`.

    Each word has a number; `words` says which to use. Low numbers stand for frequent words.
    """
    return " ".join(f"word{number}" for number in words)


def talk(seed: int = 0) -> Iterator[list[Message]]:
    """Yield an endless series of exchanges of made-up words, the same in every run.

    A few of the words are frequent, and most are rare.
    """
    chance = random.Random(seed)  # noqa: S311 - made-up words, no secrets
    words = [f"word{number}" for number in range(5_000)]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(words))))
    while True:
        yield [
            {"role": role, "content": " ".join(chance.choices(words, cum_weights=weights, k=20))}
            for role in ("user", "assistant")
        ]
