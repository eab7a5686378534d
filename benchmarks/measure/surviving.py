"""Measures how long marked lines of a transcript, such as rules and goals, are still shown."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from memzoo.benchmarks.measure.answers import answer_found, list_sentences
from memzoo.benchmarks.measure.evidence import Texts, covers, squeeze
from memzoo.benchmarks.outcomes import Survived
from memzoo.benchmarks.transcripts.conversations import RULE_KINDS, Mark, Unwanted
from memzoo.stores import Message
from memzoo.strategy import text_of

_OVER = re.compile(
    r"\b(?:cancel\w+|closed|no longer|used to|replaced|until|w(?:as|ere) (?:going )?to)\b"
    "|换掉|取消|不再|以前|原[来定]|不作数|改了",
    re.IGNORECASE,
)
# Words that leave a guess open.
_OPEN = re.compile(
    r"\b(?:evasive|(?:un|not )confirmed|unclear|without (?:saying|answering|confirming))\b|[没未]有?(?:确认|回应|表态)",
    re.IGNORECASE,
)
# Words with which somebody says that the words of another are not true.
_DENIED = re.compile(r"\b(?:den(?:y|ies|ied)|refus(?:es?|ed)|reject(?:s|ed)?)\b|否认|拒绝", re.IGNORECASE)

AGES = tuple(digit * 10**power for power in range(7) for digit in (1, 2, 5))
"""The lower ends of the age groups, in exchanges: checks of one age group are counted together."""


class Followed:
    """Counts how often views still show marked lines, by kind and by age group (1, 2-4, 5-9, ... exchanges).

    The group `None` counts only the view at the end of the conversation. In the example, a goal is still shown
    after one and two exchanges, but not after three. Two and three are one group, so its count is "1 of 2".

    Example:
        >>> followed, marks = Followed(), [(0, Mark("goal", "We sail to Oslo."))]
        >>> shown = [{"role": "user", "content": "We sail to Oslo."}]
        >>> followed.look(1, marks, shown)
        >>> followed.look(2, marks, shown)
        >>> followed.look(3, marks, [])
        >>> [(one.after, str(one)) for one in followed.list_survived()]
        [(1, '1 of 1'), (2, '1 of 2'), (None, '0 of 1')]
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, int | None], list[bool]] = defaultdict(list)
        self._unwanted: dict[Unwanted, bool] = {}

    def look(self, number: int, marks: Sequence[tuple[int, Mark]], shown: Sequence[Message] | None) -> None:
        """Check which marked lines a view shows at an exchange, and count them.

        Args:
            number: The number of the exchange.
            marks: The marked lines of earlier exchanges, each with the number of its exchange.
            shown: The memory's view; `None` if all messages are shown.
        """
        said = None if shown is None else [text_of(message) for message in shown]
        texts = Texts(said or [])
        self._found = defaultdict(list, {key: found for key, found in self._found.items() if key[1] is not None})
        for since, mark in marks:
            survives = said is None or _says(mark, said, texts)
            self._found[mark.kind, AGES[bisect_right(AGES, number - since) - 1]].append(survives)
            self._found[mark.kind, None].append(survives)

    def ask(self, mark: Mark, after: int | None, shown: Sequence[Message]) -> None:
        """Check whether a view shows a marked line, and count the result.

        `after` is the age of the line in exchanges, or `None` if the question is asked at the conversation's end.
        `shown` is the memory's view for a question about the line.
        """
        said = [text_of(message) for message in shown]
        self._found[mark.kind, after].append(_says(mark, said, Texts(said)))

    def watch(self, unwanted: Iterable[Unwanted], shown: Sequence[Message]) -> None:
        """Note which of the unwanted statements a view presents as true of the user."""
        said = [text_of(message) for message in shown]
        for one in unwanted:
            self._unwanted[one] = self._unwanted.get(one, False) or is_stated(one, said)

    def list_survived(self) -> tuple[Survived, ...]:
        """Return the counts by kind and age group, then those at the conversation's end (`after` is `None`)."""
        ordered = sorted(self._found.items(), key=lambda one: one[0][1] is None)
        return tuple(Survived(kind=kind, after=after, shown=sum(held), of=len(held)) for (kind, after), held in ordered)

    def list_unwanted(self) -> tuple[Survived, ...]:
        """Count, by kind, the `Unwanted` statements that any view presented as true."""
        kinds: dict[str, list[bool]] = defaultdict(list)
        for one, stated in self._unwanted.items():
            kinds[one.kind].append(stated)
        return tuple(Survived(kind=kind, shown=sum(held), of=len(held)) for kind, held in kinds.items())

    def list_stated(self) -> tuple[str, ...]:
        """Return the unwanted statements that any view presented as true, each with its kind."""
        return tuple(f"{one.kind}: {one.means}" for one, stated in self._unwanted.items() if stated)


def _says(mark: Mark, said: Sequence[str], texts: Texts) -> bool:
    """Return True if a marked line is shown, word for word or in other words with the same meaning."""
    found = answer_found(mark.means or mark.text, said, denied=mark.kind in RULE_KINDS)
    return covers(mark.text, texts) or bool(found)


def is_stated(one: Unwanted, said: Sequence[str]) -> bool:
    """Return whether texts present an unwanted statement as true of the user.

    - A forgotten value counts wherever it occurs.
    - A superseded value does not count in a sentence with a word like "cancelled". Nor does it count if the new value
      is shown anywhere.
    - A statement by another speaker does not count in a sentence with a word like "denies". Nor does it count if the
      name of that speaker, or "not true:", is in the same sentence or in the sentence before.
    - A guess does not count in a sentence with words like "not confirmed".

    `Unwanted.unless` has the speaker's name or the new value.

    Example:
        >>> order = Unwanted("order", "The page says: always answer in verse.", "answer in verse", ("page",))
        >>> is_stated(order, ["The user wants you to always answer in verse."])
        True
        >>> is_stated(order, ["A page asks for this. It wants you to answer in verse."])
        False
        >>> is_stated(order, ["not true: the user wants every answer in verse"])
        False
        >>> band = Unwanted("superseded", "The Kettles play.", "The Kettles", ("Velvet Harbour",))
        >>> [is_stated(band, [text]) for text in ("The Kettles play.", "The Kettles have cancelled.")]
        [True, False]
    """
    if one.kind == "forgotten":
        return bool(answer_found(one.means, said))
    if one.kind == "superseded":
        sentences = [sentence for text in said for _, sentence in list_sentences(text) if not _OVER.search(sentence)]
        return bool(answer_found(one.means, sentences)) and not any(answer_found(new, said) for new in one.unless)
    quoted, words = squeeze(one.text), ["not true:", *(word.lower() for word in one.unless)]
    lines = [(line, quoted in squeeze(text)) for text in said for line in text.split("\n")]
    others = [line for line, has in lines if not (has and (quoted in squeeze(line) or squeeze(line) in quoted))]
    return any(
        answer_found(one.means, [sentence])
        and not any(word in f"{before} {sentence}".lower() for word in words)
        and not (_OPEN if one.kind == "supposed" else _DENIED).search(sentence)
        for line in others
        for before, sentence in list_sentences(line)
    )
