"""Finds the names meant by pronouns that a model wrote in place of names."""

import logging
import re

from memzoo.forks import cached_property
from memzoo.memories.models.offline.names import NamedSentences
from memzoo.memories.models.offline.prompt import Utterance, sentences, turns
from memzoo.memories.text.language import HAN, SMALL_TALK, content_stems, words
from memzoo.memories.text.names import is_pronoun

logger = logging.getLogger("memzoo")

_HE = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)
_SHE = re.compile(r"\b(?:she|hers?|herself)\b", re.IGNORECASE)
_SPEAKER = re.compile(
    r"\b(?:i|me|my|mine|myself|we|us|our|ours|ourselves)\b|我|咱|私|わたし|僕|ぼく|俺|나|저|우리", re.IGNORECASE
)


class Antecedents:
    """Resolves the pronouns in a model's reply to names, by the rules of the offline model.

    A pronoun must not be stored as a name, because "he" may mean somebody else later.

    Example:
        >>> said = Antecedents("Human: Paul is my brother.", "Human: He works at a bank. They pay well.")
        >>> [said.name_for(name, "works at a bank") for name in ("He", "his bank", "Anna", "They")]
        ['Paul', "Paul's bank", 'Anna', '']
    """

    def __init__(self, history: str, new_lines: str) -> None:
        self._history = history
        self._new_lines = new_lines

    def name_for(self, name: str, said: str, subject: str = "") -> str:
        """Return a name with its pronoun resolved. If the meaning of the pronoun is unclear, return "" and warn.

        Args:
            name: A name or a pronoun, as written by the model.
            said: The statement about the name.
            subject: The subject of the statement, if `name` is its object.
        """
        if not is_pronoun(name, said):
            return name
        pronoun, _, own = name.strip().partition(" ")
        whom = self._whom(pronoun, said)
        if (not whom or is_pronoun(whom)) and own and (_HE.match(pronoun) or _SHE.match(pronoun)):
            # "Ann's ring reminds Ann of her roots" speaks of Ann's roots, not of the ring's.
            owner, *_ = subject.split("'s ", 1)
            whom = owner if owner in said else subject
        if not whom:
            told = f"{subject} {said}".strip()[:200]
            logger.warning("left out, because %r may mean anyone or anything: %s", name, told)
            return ""
        return f"{whom}'s {own}" if own else whom

    def _whom(self, pronoun: str, said: str) -> str:
        """Return the name that a pronoun means; "" if unclear.

        The sentences that count are new sentences with the pronoun and most words of the statement.
        """
        kind = next((kind for kind in (_HE, _SHE, _SPEAKER) if kind.match(pronoun)), None)
        if kind is None:
            return ""
        told = _stems(said)
        spoken = (at for at in self._talk.new if kind.search(self._talk.lines[at].text))
        shared = {at: len(told & self._stems[at]) for at in spoken}
        most = max(shared.values(), default=0)
        meant = {
            self._talk.owners[at] if kind is _SPEAKER else self._meant_in(at, kind)
            for at, count in shared.items()
            if count == most > 0
        }
        return min(meant) if len(meant) == 1 else ""

    def _meant_in(self, at: int, kind: re.Pattern[str]) -> str:
        """Return the person whom "he" or "she" means in a sentence; "" if unclear.

        The person is the only one named earlier in the sentence; if nobody is named there, the one left from earlier
        sentences (see `_left`).
        """
        pronoun = kind.search(self._talk.lines[at].text)
        named = {name for place, name in self._talk.named[at] if pronoun and place < pronoun.start()}
        people = named & self._talk.people(at)
        return "" if len(people) > 1 else min(people, default=self._left[at])

    @cached_property
    def _stems(self) -> dict[int, frozenset[str]]:
        return {at: _stems(self._talk.lines[at].text) for at in self._talk.new}

    @cached_property
    def _left(self) -> list[str]:
        """For each sentence, the only person in the last earlier sentence with names; "" without such a person."""
        left = [""]
        for at, (_, text) in enumerate(self._talk.lines):
            people = self._talk.people(at)
            unclear = len(people) > 1 or (not people and _may_be_name(text))
            left.append("" if unclear else min(people, default=left[-1]))
        return left

    @cached_property
    def _talk(self) -> NamedSentences:
        history, new = (
            [Utterance(who, one) for who, text in turns(transcript) for one in sentences(text)]
            for transcript in (self._history, self._new_lines)
        )
        return NamedSentences(history, new)


def _may_be_name(sentence: str) -> bool:
    """Return whether a sentence without recognised names may be a name ("Tom?")."""
    telling = [word for word in words(sentence) if word not in SMALL_TALK]
    return len(telling) == 1 and telling[0].capitalize() in sentence and not is_pronoun(telling[0])


def _stems(text: str) -> frozenset[str]:
    return frozenset(content_stems(HAN.sub(r" \g<0> ", text)))
