"""Finding the names in sentences, by how they are written."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memzoo.memories.models.offline.lexicon import CALENDAR, COMMON, DEMONYMS, FIRST_NAMES, NEVER_NAMES
from memzoo.memories.models.offline.verbs import FORMS
from memzoo.memories.text.words import SMALL_TALK, STOPWORDS

__all__ = ["Mention", "find_names"]

_UPPER = "[" + "".join(chr(code) for code in range(0x530) if chr(code).isupper()) + "]"
_UNDER = "After|Before|Over|Under|Into|Beyond|Behind|Beneath|Between|Through|Against|Across|Around|Inside"
_PART = (
    rf"(?:(?:Mr|Mrs|Ms|Dr|Prof|St|Mt)\.(?= )|(?!I\b(?!\.)){_UPPER}\.(?:{_UPPER}\.)*"
    rf"|(?:(?:{_UNDER}) (?:the |a ))?(?!I\b)(?:{_UPPER}|[a-z]{_UPPER}|[dl]['’]{_UPPER})\w*(?:['’\-&]\w+)*)"
)
_JOIN = r"(?: (?:of (?:the )?|de (?:la )?|van (?:der )?|von (?:der )?|del |da |di |du |der |la |le |al |bin |& )?)"
_FIRM = rf"{_PART}(?:, {_PART}){{1,3}} & (?:Co|Sons|Daughters|Partners|Brothers|Associates)\b\.?"
_SUFFIX = r"(?:,? (?:Inc|Ltd|LLC|Corp|Co|GmbH|PLC|Jr|Sr)\b\.?)?"
_UNIT = (
    r" (?:(?:second|minute|hour|night|day|week|month|year|time|mile|person|kilo|euro|dollar|pound)s?|people|am|pm)\b"
)
_RUN = re.compile(
    rf"(?<![\w'’])(?:{_FIRM}|{_PART}(?:{_JOIN}{_PART})*(?: \d{{1,4}}(?![\w,.:%]*\d|\w|{_UNIT}))?){_SUFFIX}"
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{2,80})[\"”]")
_NAMING = re.compile(r"\b(?:called|named|nicknamed|titled|entitled|christened)\s*$")
_LOWER = re.compile(rf"(?<!\w)(?!{_UPPER})[^\W\d_]+")
_FIRST = re.compile(r"[^\W_]")
_APPOSED = re.compile(r", (?:my|our|his|her|their|who|the|an?) ")
_OPENING = re.compile(r"[:\"“(—–] ?$")
_SMALL = frozenset("a an and at by de for from in la le of on or the to with vs".split())
_SINGULAR = frozenset("is was has does says thinks knows wants".split())
_SPEAKS = _SINGULAR | frozenset("had said will can told asked never always also".split())
_NO_NAME_ENDINGS = ("ing", "ly", "tion", "ness", "ment", "ity", "ism")
_MOST_WORDS = 8
_LONGEST = 80
_FUNCTION = STOPWORDS | CALENDAR
_PLAIN = COMMON | SMALL_TALK | STOPWORDS | CALENDAR | DEMONYMS | FORMS.keys() - {"mark", "grant"}


class Mention(NamedTuple):
    """A name where it stands in a sentence.

    Attributes:
        name: The name, without a possessive ending and without the quotation marks of a title.
        start: Where it begins in the sentence, the quotation mark included.
        end: Where it ends.
        quoted: Whether it is a title in quotation marks.
    """

    name: str
    start: int
    end: int
    quoted: bool


@dataclass(slots=True)
class _Evidence:
    """What the rest of the text says about a word: written with a capital inside a sentence, or without one.

    Attributes:
        capital: Words with a capital that a name alone explains.
        lower: Words without a capital.
        whole: Names inside a sentence, and names known before.
    """

    capital: set[str]
    lower: set[str]
    whole: set[str]


def find_names(sentences: Sequence[str], known: Iterable[str] = ()) -> list[list[Mention]]:
    """The names in each sentence, in their order.

    A capital at the start of a sentence proves nothing: such a word counts where the same word has a capital inside
    a sentence as well, or is a first name, or stands like a subject that is no ordinary word.

    Args:
        sentences: Sentences of one conversation; they are evidence for each other.
        known: Names known already.
    """
    runs = [list(_RUN.finditer(sentence)) for sentence in sentences]
    evidence = _evidence(sentences, runs, known)
    return [_mentions(sentence, found, evidence) for sentence, found in zip(sentences, runs, strict=True)]


def _evidence(sentences: Sequence[str], runs: list[list[re.Match[str]]], known: Iterable[str]) -> _Evidence:
    names = set(known)
    lower = set(_LOWER.findall("\n".join(sentences)))
    evidence = _Evidence({word for name in names for word in name.split()}, lower, whole=names)
    for sentence, found in zip(sentences, runs, strict=True):
        for run in found:
            starts = _at_start(sentence, run)
            evidence.capital.update(_inside(run[0].split(), starts=starts))
            if not starts:
                evidence.whole.add(_bare(run[0]))
    return evidence


def _inside(parts: list[str], *, starts: bool) -> Iterator[str]:
    """The words of a run whose capital means something; ordinary words only where they stand alone."""
    for part in map(_bare, parts[starts:]):
        if len(parts) == 1 or part.lower() not in _PLAIN:
            yield part


def _mentions(sentence: str, runs: list[re.Match[str]], evidence: _Evidence) -> list[Mention]:
    titles = list(_titles(sentence))
    found = [
        mention
        for run in runs
        if not any(title.start <= run.start() < title.end for title in titles)
        and (mention := _judged(sentence, run, evidence))
    ]
    return sorted([*titles, *found], key=lambda mention: mention.start)


def _titles(sentence: str) -> Iterator[Mention]:
    for quote in _QUOTED.finditer(sentence):
        title = quote[1].partition(":")[0].strip(" ,.;")
        if title and (_title_case(title) or _NAMING.search(sentence[max(0, quote.start() - 20) : quote.start()])):
            yield Mention(title, quote.start(), quote.end(), quoted=True)


def _title_case(title: str) -> bool:
    parts = [part for part in title.split() if part.lower() not in _SMALL]
    return 0 < len(parts) <= _MOST_WORDS and all(part[0].isupper() or part[0].isdigit() for part in parts)


def _at_start(sentence: str, run: re.Match[str]) -> bool:
    """Whether the capital of a run may only be that of a beginning sentence, or of an ordinary word after a colon."""
    first = _FIRST.search(sentence)
    if first and first.start() == run.start():
        return True
    opened = _OPENING.search(sentence, max(0, run.start() - 2), run.start())
    return opened is not None and run[0].lower() in _PLAIN


def _judged(sentence: str, run: re.Match[str], evidence: _Evidence) -> Mention | None:
    start, end = run.span()
    name = _bare(run[0])
    end -= len(run[0]) - len(name)
    first = _at_start(sentence, run) and not (" " in name and name in evidence.whole)
    if first:
        lead = _leading(name, evidence)
        name, start, first = name[lead:], start + lead, not lead
    if not name or _no_name(name) or (first and not _proven(name, sentence[end : end + 30], evidence)):
        return None
    return Mention(name, start, end, quoted=False)


def _bare(name: str) -> str:
    return re.sub(r"['’]s?$", "", name)


def _leading(name: str, evidence: _Evidence) -> int:
    """How many characters of a run at the start of a sentence are ordinary words before the name proper."""
    lead = 0
    for part in re.finditer(r"\S+ ", name):
        if not _interjected(part[0].strip(), name[part.end() :], evidence):
            break
        lead = part.end()
    return lead


def _interjected(word: str, rest: str, evidence: _Evidence) -> bool:
    lower = word.lower().replace("’", "'")
    if lower in _PLAIN:
        return word not in evidence.capital
    addressed = rest in evidence.whole or rest.lower() in FIRST_NAMES
    return addressed and not word.endswith(".") and lower not in FIRST_NAMES and word not in evidence.capital


def _no_name(name: str) -> bool:
    parts = name.lower().replace("’", "'").split()
    if not 1 < len(name) <= _LONGEST or len(parts) > _MOST_WORDS:
        return True
    return all(part in _FUNCTION or part in DEMONYMS or part in NEVER_NAMES or part.isdigit() for part in parts)


def _proven(name: str, after: str, evidence: _Evidence) -> bool:
    parts = name.split()
    if len(parts) > 1:
        return not all(part.lower() in _PLAIN for part in parts)
    word = name.lower()
    if name in evidence.capital:
        return word not in _FUNCTION
    if word in _PLAIN or word in evidence.lower:
        return False
    return word in FIRST_NAMES or (name.isupper() and len(name) > 1) or _like_subject(word, after)


def _like_subject(word: str, after: str) -> bool:
    if word.endswith(_NO_NAME_ENDINGS):
        return False
    if after[:2] in {"'s", "’s"} or _APPOSED.match(after):
        return True
    following = re.match(r"\s([a-z']+)", after)
    if following is None:
        return False
    tense = FORMS[following[1]].tense if following[1] in FORMS else "base"
    if word.endswith("s"):
        # A plural noun, unless its verb is singular: "Films directed by ...", "Paris is ...".
        return following[1] in _SINGULAR or tense == "present"
    return following[1] in _SPEAKS or tense != "base"
