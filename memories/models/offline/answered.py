"""Facts that take a question and its answer: "What other films has he directed?" - "Memento and Tenet"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memzoo.memories.models.offline.clauses import NAMES, relation_of
from memzoo.memories.models.offline.facts import Triple
from memzoo.memories.models.offline.grammar import Token, shape_of
from memzoo.memories.models.offline.lexicon import ROLES
from memzoo.memories.models.offline.phrases import Phrases, plain
from memzoo.memories.models.offline.verbs import FORMS

__all__ = ["Question", "answer_facts", "asked"]

_DOES = re.compile(
    r"[qk][awvVge#]*(?P<aux>[hd])(?P<subject>[PN]|M[wvV]{1,2}|Y[wv]{0,2}?)[ae]*(?P<verb>[vVt])(?P<prep>[pT])?"
)
_WHO = re.compile(r"k(?P<verb>V)(?P<object>D?w?N)")
_OWN = re.compile(r"[qk]b(?P<owner>[MY]|NS)(?P<what>[wvVg]{1,2})(?:S(?P<name>w))?")
_VERBLESS = re.compile(r"[^bhdfmvVPnqk]*")
YOU = "\0"
_WHERE = {
    "live": "in",
    "stay": "in",
    "work": "at",
    "study": "at",
    "go": "to",
    "move": "to",
    "travel": "to",
    "come": "from",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question that an answer of names completes.

    Attributes:
        subject: Whom it asks about, with `YOU` for the one who answers; `None` where the subject is what is asked for.
        relation: What it asks of them.
        object: What it says already.
    """

    subject: str | None
    relation: str
    object: str = ""

    def completed(self, answer: str, you: str) -> Triple:
        """The fact that an answer makes of it."""
        if self.subject is None:
            return Triple(answer, self.relation, self.object.replace(YOU, you))
        return Triple(self.subject.replace(YOU, you), self.relation, answer)


def asked(tokens: Sequence[Token], phrases: Phrases) -> Question | None:
    """The fact that a question asks for, if it is of a form that is known here."""
    shape = shape_of(tokens)
    if found := _DOES.search(shape):
        return _does(tokens, found, phrases)
    if (found := _WHO.search(shape)) and tokens[found.start()].lower == "who":
        return Question(None, relation_of(tokens[found.start("verb")]), phrases.who(tokens[found.end() - 1]))
    if found := _OWN.search(shape):
        return _own(tokens, found, phrases)
    return None


def _does(tokens: Sequence[Token], found: re.Match[str], phrases: Phrases) -> Question | None:
    auxiliary, verb = tokens[found.start("aux")], tokens[found.start("verb")]
    relation = relation_of(verb, earlier=auxiliary.letter == "h" or auxiliary.lower == "did")
    preposition = tokens[found.start("prep")].lower if found["prep"] else ""
    if tokens[found.start()].lower == "where":
        preposition = preposition or _WHERE.get(FORMS[verb.lower].base, "in")
    subject = _whom(tokens[slice(*found.span("subject"))], phrases)
    return None if subject is None else Question(subject, f"{relation} {preposition}".strip())


def _whom(tokens: Sequence[Token], phrases: Phrases) -> str | None:
    if tokens[0].letter == "Y":
        return f"{YOU}'s {plain(tokens[1:])}" if tokens[1:] else YOU
    return next(iter(phrases.subjects(tokens)), None)


def _own(tokens: Sequence[Token], found: re.Match[str], phrases: Phrases) -> Question | None:
    owner = YOU if found["owner"] == "Y" else phrases.who(tokens[found.start("owner")])
    if not owner:
        return None
    what = plain(tokens[slice(*found.span("what"))])
    if found["name"] or what.rsplit(" ", 1)[-1] in ROLES:
        return Question(None, f"is the {what} of", owner)
    return Question(owner, "is named" if what == "name" else f"has {what}")


def answer_facts(question: Question, tokens: Sequence[Token], phrases: Phrases) -> Iterator[Triple]:
    """The facts that an answer without a verb of its own states together with the question before it."""
    names = re.search(NAMES, shape_of(tokens))
    if not names or not _VERBLESS.fullmatch(shape_of(tokens)):
        return
    for name in phrases.subjects(tokens[slice(*names.span())]):
        yield question.completed(name, phrases.owner)
