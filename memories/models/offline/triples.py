"""The task of writing down facts as triples."""

import re
from collections.abc import Iterator
from dataclasses import replace

from memzoo.memories.models.offline.answered import Question, answer_facts, asked
from memzoo.memories.models.offline.corrections import correction
from memzoo.memories.models.offline.discourse import Discourse, read_discourse
from memzoo.memories.models.offline.facts import Triple, stated_facts
from memzoo.memories.models.offline.grammar import tokenise
from memzoo.memories.models.offline.phrases import Phrases
from memzoo.memories.text.words import is_question

__all__ = ["MOST_TRIPLES", "triple_extraction"]

MOST_TRIPLES = 200

_LONGEST_SUBJECT = 6
_LONGEST_OBJECT = 12
_READ_BEFORE = 20
_JUNK = re.compile(r"[\W_]*$|(?:i|you|it|not|this|that)$", re.IGNORECASE)
_NO_SUBJECT = re.compile(r"[\W_]*$|NOT\b")


def triple_extraction(history: str, new_lines: str) -> str:
    """A line `subject | relation | object` for each fact that the new lines state, or `NONE`.

    What they say is wrong or no longer so has `NOT` before it.
    """
    discourse = read_discourse(history, new_lines)
    found = [str(fact) for number, fact in _facts(discourse) if number >= discourse.first_new]
    return "\n".join(list(dict.fromkeys(found))[:MOST_TRIPLES]) or "NONE"


def _facts(discourse: Discourse) -> Iterator[tuple[int, Triple]]:
    """The facts of the new sentences and, where these correct something, of the last ones before them."""
    known: list[Triple] = []
    question: tuple[Question | None, str, int] = (None, "", -1)
    for number in _to_read(discourse):
        line, phrases = discourse.lines[number], Phrases(discourse, number)
        tokens = tokenise(line.text, discourse.mentions[number])
        if is_question(line.text):
            question = (asked(tokens, phrases), line.speaker, line.turn)
            continue
        facts = list(stated_facts(tokens, phrases))
        if question[0] and question[1] != line.speaker and question[2] == line.turn - 1:
            facts += answer_facts(question[0], tokens, phrases)
        question = (None, "", -1)
        for fact in _corrected(line.text, facts, known):
            if _legal(fact):
                known.append(fact)
                yield number, fact


def _to_read(discourse: Discourse) -> range:
    """The new sentences, with the one before, which may be a question, or the many that one of them may correct."""
    corrects = any(correction(discourse.lines[number].text) for number in discourse.new)
    return range(max(0, discourse.first_new - (_READ_BEFORE if corrects else 1)), len(discourse.lines))


def _corrected(sentence: str, facts: list[Triple], known: list[Triple]) -> list[Triple]:
    """The facts of a sentence; where it only says "it is 41, not 14", those that come of the earlier fact with 14."""
    found = correction(sentence)
    if not found:
        return facts
    wrong = re.compile(rf"(?<![\w£$€]){re.escape(found.wrong)}(?!\w)")
    old = next((fact for fact in reversed(known) if fact.holds and wrong.search(fact.object)), None)
    if not old or any(not fact.holds and fact.subject == old.subject for fact in facts):
        return facts
    denied = replace(old, holds=False)
    return [denied, replace(old, object=wrong.sub(lambda _: found.right, old.object))] if found.right else [denied]


def _legal(fact: Triple) -> bool:
    short = fact.subject.count(" ") < _LONGEST_SUBJECT and fact.object.count(" ") < _LONGEST_OBJECT
    return short and bool(fact.relation) and not _JUNK.match(fact.object) and not _NO_SUBJECT.match(fact.subject)
