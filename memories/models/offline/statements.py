"""What was said, as statements that name their speaker: read from turns, read back from summaries, written, weighed.

The offline model quotes; it does not reword. A summary or a note of it is a list of sentences as they were said, each
behind the name of who said it: `Human said: I moved to Oslo. AI asked: Since when? Human said: May.`
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memzoo.memories.models.offline.text import ASSISTANT, Line, clip, is_role, sentences
from memzoo.memories.models.offline.verbs import FORMS
from memzoo.memories.text.words import SMALL_TALK, content_stems, is_question, stem, words

__all__ = ["Statement", "read_back", "salience", "stated", "unique", "worth", "written"]

_MOST_WORDS = 60
_ELLIPTICAL = 9
_WORTH_ASKING = 1.0
_BREVITY = 0.8
_SHORT = 8
_SAID = re.compile(r"(?:^|(?<=[.!?…\"”'’)*\]] ))([^\W\d_][^:\n.!?]{0,39}?) (said|asked): ")
_LIKE_SAID = re.compile(r" (said|asked): ")
_ANSWER = re.compile(r"(?:yes|yeah|yep|yup|no|nope|correct|exactly|right|not at all|of course)\b", re.IGNORECASE)
_CAPITAL = re.compile(r"(?<=[\w,;:] )(?!I\b)[^\W\d_a-z]\w+")
_ADVICE = re.compile(
    r"(?:you (?:could|should|can|might|may)|try|consider|make sure|don't|do not|it is worth)\b", re.IGNORECASE
)
_FINITE = frozenset(
    "am is are was were be been has have had do does did will would can could i'm it's he's she's".split()
) | {form for form, verb in FORMS.items() if verb.tense in {"present", "past"}}
_CUES = {
    stem(word): weight
    for weight, cues in {
        1.0: """
            actually correction mistake wrong birthday born married divorced engaged pregnant died allergic allergy
            favourite favorite decided decide agreed chose signed booked moved deadline diagnosed hired fired
            promoted
            """,
        0.6: """
            monday tuesday wednesday thursday friday saturday sunday january february march april june july august
            september october november december yesterday tomorrow week month year ago anniversary weekend bought
            sold planning planned prefer hate adopted quit retire graduated won lost offered applied promised cost
            price budget named called job career school university company degree own sister brother mother father
            son daughter husband wife partner friend dog cat pet kid children family two three four five six seven
            eight nine ten eleven twelve hundred thousand million half
            """,
        0.4: """
            want wanted need live living work working started join joined learn learned study visit visited went go
            trip travel meet met made paint painted wrote read play played love enjoy always never home house
            """,
    }.items()
    for word in cues.split()
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that somebody said.

    Attributes:
        speaker: The label of who said it; empty if that is not known.
        text: The sentence as it was said, at most 60 words of it.
        asked: Who asked, and what, where the sentence means nothing without the question.
    """

    speaker: str
    text: str
    asked: tuple[str, str] | None = None

    @property
    def whole(self) -> str:
        """The sentence with its question before it."""
        return f"{self.asked[1]} {self.text}" if self.asked else self.text

    @property
    def length(self) -> int:
        """How many words it takes, about."""
        return self.whole.count(" ") + 2


def stated(lines: Sequence[Line]) -> dict[int, Statement]:
    """The statements among sentences, by the number of the sentence: no questions, no greetings, no applause."""
    found: dict[int, Statement] = {}
    question = open_question = None
    for number, line in enumerate(lines):
        begins = number == 0 or lines[number - 1].turn != line.turn
        if begins:
            question, open_question = open_question, None
        if is_question(line.text):
            open_question = (line.speaker, _quoted(line.text))
        elif statement := _statement(line.speaker, line.text, question if begins else None):
            found[number] = statement
    return found


def _statement(speaker: str, sentence: str, question: tuple[str, str] | None) -> Statement | None:
    statement = Statement(speaker, _quoted(sentence))
    if question and _elliptical(sentence):
        asking = replace(statement, asked=question)
        if not _idle(sentence) or (_ANSWER.match(sentence) and salience(asking) >= _WORTH_ASKING):
            return asking
    return None if _idle(sentence) else statement


def _quoted(sentence: str) -> str:
    # Nobody's words may read back as what another said.
    return _LIKE_SAID.sub(r" \1, ", clip(sentence, _MOST_WORDS))


def _elliptical(sentence: str) -> bool:
    spoken = words(sentence)
    return len(spoken) <= _ELLIPTICAL and (
        _FINITE.isdisjoint(spoken) or bool(_ANSWER.fullmatch(sentence.rstrip(" .!")))
    )


def _idle(sentence: str) -> bool:
    """Whether a sentence holds no word but those of courtesy, and perhaps the name of whom it addresses."""
    telling = [word for word in words(sentence) if word not in SMALL_TALK]
    return not telling or (len(telling) == 1 and _addresses(sentence, telling[0]))


def _addresses(sentence: str, word: str) -> bool:
    return len(words(sentence)) > 1 and word.isalpha() and word.capitalize() in sentence and not _CUES.get(stem(word))


@functools.lru_cache(maxsize=1 << 12)
def salience(statement: Statement) -> float:
    """How much a statement seems to matter: names, numbers, dates, decisions and one's own affairs weigh most."""
    text = statement.whole
    weight = 0.6 * min(3, len(_CAPITAL.findall(text))) + min(
        2.0, sum(_CUES.get(root, 0) for root in content_stems(text))
    )
    weight += any(map(str.isdigit, text))
    weight += 0.5 * (not {"my", "our", "i", "i'm", "i've", "we"}.isdisjoint(words(text)))
    weight -= 0.7 * bool(_ADVICE.match(text))
    return max(0.1, weight * (0.8 if is_role(statement.speaker) == ASSISTANT else 1.0))


def worth(statement: Statement, weight: float) -> float:
    """What a statement of some weight is worth for the room that it takes."""
    taken: float = max(_SHORT, statement.length) ** _BREVITY
    return weight / taken


def written(statements: Iterable[Statement], separator: str) -> str:
    """Statements as text that `read_back` understands, each speaker named once for what they say in a row."""
    parts: list[str] = []
    last: str | None = None
    for statement in statements:
        if statement.asked:
            question = _named(statement.asked[0], "asked", statement.asked[1])
            parts.append(f"{question} {_named(statement.speaker, 'said', statement.text)}")
        elif statement.speaker == last:
            parts[-1] += f" {_closed(statement.text)}"
        else:
            parts.append(_named(statement.speaker, "said", statement.text))
        last = statement.speaker
    return separator.join(parts)


def _named(speaker: str, verb: str, text: str) -> str:
    return f"{speaker} {verb}: {_closed(text)}" if speaker else _closed(text)


def _closed(text: str) -> str:
    return text if text[-1:] in ".!?…。\uff01\uff1f\"”'’)" else f"{text}."


def read_back(text: str) -> list[Statement]:
    """The statements of a summary or a note; those of a text that is not of this form have no speaker."""
    return [statement for line in text.split("\n") for statement in _line_read_back(line.strip())]


def _line_read_back(line: str) -> Iterator[Statement]:
    speaker, verb, start = "", "said", 0
    question: tuple[str, str] | None = None
    for said in [*_SAID.finditer(line), None]:
        for sentence in sentences(line[start : said.start() if said else len(line)]):
            if verb == "asked":
                question = (speaker, sentence)
                continue
            yield Statement(speaker, sentence, question)
            question = None
        if said:
            speaker, verb, start = said[1], said[2], said.end()


def unique(statements: Iterable[Statement]) -> list[Statement]:
    """Statements without those that say the same words again; the first stays in its place."""
    found: dict[tuple[str, ...], Statement] = {}
    for statement in statements:
        found.setdefault(content_stems(statement.whole), statement)
    return list(found.values())
