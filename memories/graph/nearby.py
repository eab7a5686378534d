"""Writes facts around names as the model reads them: a line for each name, within a budget."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from memzoo.memories.graph.graph import Near

__all__ = ["lines", "within"]


def lines(near: Iterable[Near]) -> tuple[str, ...]:
    """A line of facts for each name.

    Example:
        >>> from memzoo.memories.graph.fact import Fact
        >>> lines([Near(Fact("Sam", "likes", "tea"), "Sam", 1), Near(Fact("Eve", "sells", "tea"), "Sam", 2)])
        ('On Sam: Sam likes tea. Eve sells tea.',)
    """
    facts: dict[str, list[str]] = {}
    for found in near:
        facts.setdefault(found.name, []).append(str(found.fact))
    return tuple(f"On {name}: {'. '.join(said)}." for name, said in facts.items())


def within(limit: int, near: Sequence[Near], tokens: Callable[[str], int]) -> list[Near]:
    """As many facts as together have at most `limit` tokens, as lines and as one text, in the order given.

    Nearer ones are preferred, then those that connect two of the names, then newer ones. A fact about two of the names
    comes with the first of them only.
    """
    times = Counter(found.fact.key for found in near)
    once: dict[str, Near] = {}
    for found in near:
        once.setdefault(found.fact.key, found)
    ranked = sorted(once.values(), key=lambda found: (found.steps, -times[found.fact.key], -_newest(found)))

    def best(count: int) -> list[Near]:
        chosen = set(ranked[:count])
        return [found for found in once.values() if found in chosen]

    # More facts have more tokens. Where a tokenizer bends that, it still ends at a number of facts that was counted.
    counts = range(1, len(ranked) + 1)
    return best(bisect_right(counts, limit, key=lambda count: _size(lines(best(count)), tokens)))


def _newest(found: Near) -> int:
    return max(found.fact.said_in, default=0)


def _size(texts: Sequence[str], tokens: Callable[[str], int]) -> int:
    return max(sum(map(tokens, texts)), tokens("\n".join(texts)))
