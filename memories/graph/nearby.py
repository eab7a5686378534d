"""Writes the facts about names for the model: one line for each name, within a token limit."""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from memzoo.memories.graph.fact import Fact, in_order
from memzoo.memories.graph.graph import KnowledgeGraph, Near
from memzoo.memories.graph.relations import content_words
from memzoo.memories.text.fitting import Limit

MOST_BYTES = 2_000
"""The most bytes of known facts in a prompt with few new lines: about 500 tokens by any counter."""
_MOST_ALIKE = 50
"""The most facts to rank for each name, and for each pair of a name and a word. A prompt hardly fits more facts."""
_LONGEST = MOST_BYTES // 4


def lines(near: Iterable[Near]) -> tuple[str, ...]:
    """Return one line for each name, with all facts that were found near this name.

    Example:
        >>> from memzoo.memories.graph.fact import Fact
        >>> lines([Near(Fact("Sam", "likes", "tea"), "Sam", 1), Near(Fact("Eve", "sells", "tea"), "Sam", 2)])
        ('On Sam: Sam likes tea. Eve sells tea.',)
    """
    facts: dict[str, list[Fact]] = {}
    for found in near:
        facts.setdefault(found.name, []).append(found.fact)
    return tuple(f"On {name}: {_line(said)}" for name, said in facts.items())


def in_lines(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Return one line for each subject, with all facts about this subject in the given order.

    Example:
        >>> from memzoo.memories.graph.fact import Fact
        >>> in_lines([Fact("Sam", "likes", "tea"), Fact("Eve", "sells", "tea"), Fact("Sam", "is", "tall")])
        ('Sam likes tea. Sam is tall.', 'Eve sells tea.')
    """
    by_subject: dict[str, list[Fact]] = {}
    for fact in facts:
        by_subject.setdefault(fact.nodes[0], []).append(fact)
    return tuple(map(_line, by_subject.values()))


def best_within(limit: int, groups: Iterable[Sequence[Fact]], tokens: Callable[[str], int]) -> list[Fact]:
    """Return the best facts that fit a token limit, grouped by subject. The subject of the best fact comes first.

    Args:
        limit: The token limit for all lines together.
        groups: Lists of facts, the best list first. The facts of a list are chosen together, or all are skipped.
        tokens: Counts the tokens of a text.
    """
    chosen: dict[str, list[Fact]] = {}
    order: list[str] = []
    # Only lines with an added fact are written and counted again.
    written: dict[str, str] = {}
    count = functools.cache(tokens)

    def write() -> list[str]:
        for node in chosen.keys() - written.keys():
            written[node] = _line(sorted(chosen[node], key=_order))
        return [written[node] for node in chosen]

    def size() -> int:
        # Most tokenizers join a line's end to the full stop.
        *first, last = write()
        return sum(count(f"{line}\n") for line in first) + count(last)

    room = Limit(limit, size)
    read = set[str]()
    for group in groups:
        new = {text: fact for fact in group if (text := str(fact)) not in read}
        if new and room.has(tokens("".join(f"\n{text}." for text in new))):
            read |= new.keys()
            for fact in new.values():
                order.append(node := fact.nodes[0])
                chosen.setdefault(node, []).append(fact)
                written.pop(node, None)
        elif room.is_full:
            break
    while order and max(sum(map(count, write())), tokens("\n".join(write()))) > limit:
        chosen[node := order.pop()].pop()
        del written[node]
        if not chosen[node]:
            del chosen[node]
    return [fact for facts in chosen.values() for fact in sorted(facts, key=_order)]


def _line(facts: Iterable[Fact]) -> str:
    return f"{'. '.join(map(str, facts))}."


def _order(fact: Fact) -> tuple[tuple[int, ...], str]:
    return fact.said_in, fact.key


def write_known(
    graph: KnowledgeGraph, likely: Iterable[Fact], new_lines: str, history: str, most: int = MOST_BYTES
) -> str:
    """Return the known facts that new messages may change: triples, one per line, in the order they were first stated.

    If not all facts fit, they are chosen in this order: the likely facts; facts about names in the new messages; facts
    about the user and about names in earlier messages. Within the last two groups, facts that share more words with the
    new messages come first.

    Args:
        graph: The known facts.
        likely: The facts that the new messages are likely to change, the likeliest first.
        new_lines: The new messages.
        history: The earlier messages.
        most: The maximum size of the result, in bytes.
    """
    left, chosen = most, dict[str, Fact]()
    for fact in itertools.chain(likely, _find_mentioned(graph, new_lines, history)):
        if fact.key not in chosen and len(fact.triple) <= _LONGEST:
            left -= len(fact.triple.encode(errors="replace")) + 1
            if left < 0:
                break
            chosen[fact.key] = fact
    return "\n".join(fact.triple for fact in in_order(chosen.values()))


def _find_mentioned(graph: KnowledgeGraph, new_lines: str, history: str) -> Iterator[Fact]:
    """Yield facts about names in the new lines, then facts about the user and about names in earlier lines."""
    words = content_words(new_lines)
    for names in (graph.find_names(new_lines), ["user", *graph.find_names(history)]):
        found = {key: fact for name in names for key, fact in graph.newest_about(name, words, _MOST_ALIKE).items()}
        yield from sorted(found.values(), key=lambda fact: (-len(words & fact.words), -fact.newest, fact.key))
