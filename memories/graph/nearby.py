"""Writes facts around names for the model: a line for each name, within a budget."""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping

from memzoo.memories.graph.fact import Fact, in_order
from memzoo.memories.graph.graph import KnowledgeGraph, Near
from memzoo.memories.graph.relations import content_words
from memzoo.memories.text.fitting import Limit

__all__ = ["MOST_BYTES", "best_within", "lines", "write_known"]

MOST_BYTES = 2_000
"""The size of known facts in a prompt beside few new lines: about 500 tokens by any counter."""
_MOST_ALIKE = 50
"""The most facts about a name, or about a name and a word, to rank for a prompt: hardly more fit."""
_LONGEST = MOST_BYTES // 4


def lines(near: Iterable[Near]) -> tuple[str, ...]:
    """Return a line of facts for each name.

    Example:
        >>> from memzoo.memories.graph.fact import Fact
        >>> lines([Near(Fact("Sam", "likes", "tea"), "Sam", 1), Near(Fact("Eve", "sells", "tea"), "Sam", 2)])
        ('On Sam: Sam likes tea. Eve sells tea.',)
    """
    facts: dict[str, list[str]] = {}
    for found in near:
        facts.setdefault(found.name, []).append(str(found.fact))
    return tuple(f"On {name}: {'. '.join(said)}." for name, said in facts.items())


def best_within(limit: int, facts: Iterable[Fact], tokens: Callable[[str], int]) -> list[Near]:
    """Return the facts that fit a number of tokens, as a line for each subject, with the best fact's line first.

    Args:
        limit: Tokens, of each line by itself and of all as one text.
        facts: The best first. A fact that does not fit is skipped for the next that does, as is one that reads like
            another ("not one of them", stated and denied).
        tokens: Counts the tokens of a text.
    """
    chosen: dict[str, Fact] = {}
    subjects: dict[str, str] = {}
    # A line is counted again only when a fact was added to it.
    count = functools.cache(tokens)

    def near() -> list[Near]:
        return _by_subject(chosen.values(), subjects)

    def size() -> int:
        return sum(map(count, written := lines(near()))) + (len(written) - 1) * count("\n")

    room = Limit(limit, size)
    read = set[str]()
    for fact in facts:
        if (text := str(fact)) in read:
            continue
        heading = "" if fact.nodes[0] in subjects else f"\nOn {fact.subject}:"
        if room.has(tokens(f"{heading} {text}.")):
            read.add(text)
            chosen[fact.key] = fact
            subjects.setdefault(fact.nodes[0], fact.subject)
        elif room.is_full:
            break
    while chosen and max(sum(map(count, written := lines(near()))), tokens("\n".join(written))) > limit:
        chosen.popitem()
    return near()


def _by_subject(facts: Iterable[Fact], subjects: Mapping[str, str]) -> list[Near]:
    """Return facts by subject, each with its name for display; a subject's facts in the order first said."""
    place = {node: number for number, node in enumerate(subjects)}
    return [
        Near(fact, subjects[fact.nodes[0]], 1) for fact in sorted(in_order(facts), key=lambda one: place[one.nodes[0]])
    ]


def write_known(
    graph: KnowledgeGraph, likely: Iterable[Fact], new_lines: str, history: str, most: int = MOST_BYTES
) -> str:
    """Write facts that new lines may change, then current ones about the user and the names before them, as triples.

    If they do not all fit, likely ones come first, then those that share words with the new lines, then newer ones.
    They are written in the order said.

    Args:
        graph: The known facts.
        likely: The facts that the lines are likely to change, the likeliest first.
        new_lines: The new messages.
        history: The messages before them.
        most: The most bytes to write.
    """
    left, chosen = most, dict[str, Fact]()
    for fact in itertools.chain(likely, _find_mentioned(graph, new_lines, history)):
        if fact.key not in chosen and len(fact.triple) <= _LONGEST:
            left -= len(fact.triple.encode(errors="replace")) + 1
            if left < 0:
                break
            chosen[fact.key] = fact
    return _in_lines(chosen.values())


def _find_mentioned(graph: KnowledgeGraph, new_lines: str, history: str) -> Iterator[Fact]:
    """Yield the facts about the names in new lines, then those about the user and the names before them."""
    words = content_words(new_lines)
    for names in (graph.find_names(new_lines), ["user", *graph.find_names(history)]):
        found = {key: fact for name in names for key, fact in graph.newest_about(name, words, _MOST_ALIKE).items()}
        yield from sorted(found.values(), key=lambda fact: (-len(words & fact.words), -fact.newest, fact.key))


def _in_lines(facts: Iterable[Fact]) -> str:
    return "\n".join(fact.triple for fact in in_order(facts))
