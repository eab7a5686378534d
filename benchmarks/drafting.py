"""Drafts questions about conversations without questions, by rules or by a model.

The rules take a sentence by the user, and replace a name, a number or the like with a gap. The replaced words are the
answer, and the message is the evidence. A person should check the drafts.
"""

import functools
import itertools
import json
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from memzoo.benchmarks.measure.measuring import messages_in
from memzoo.benchmarks.transcripts import Transcript
from memzoo.benchmarks.transcripts.conversations import DRAFTED, GAP, UNDATED, Exchange, Question
from memzoo.errors import ModelReplyError, TransferError
from memzoo.memories import Model
from memzoo.memories.models.chat import ModelOption, as_model
from memzoo.prompts import PromptSet
from memzoo.stores import Message
from memzoo.strategy import text_of
from memzoo.sync import drive

_MOST_CHARACTERS = 24_000  # about 6,000 tokens: small models miss questions in longer texts
_FIELDS = 4  # question, answer, evidence, kind
_BY_MODEL = """\
# Questions that a model drafted about the conversations below: read each, correct it, delete what is wrong.
# evidence: the ids of the messages that hold the answer. Nobody has checked them yet.
"""
_BY_RULES = """\
# Questions that rules drafted about the conversations below, without a model: what the user said, with a gap.
# Read each, write it as you would ask it, delete what nobody would ask. What stood in the gap is the answer, and
# evidence has the id of the message. The category says that it was only drafted: change it once you have read it.
"""
_WORDS_AROUND = 6
_FEWEST_WORDS, _MOST_WORDS = 5, 60
_MOST_MENTIONS = 3
"""The most messages that may contain an answer; a more frequent answer does not test whether one message is kept."""

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。\uff01\uff1f])|\n+")
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_]+(?:['’.,:-][^\W_]+)*")
_NO_STATEMENT = re.compile(r"[?\uff1f]\W*$|https?://|[`{}<>|\\*]|_{2}")
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})(?:,? \d{{4}})?|"
    rf"(?:{_MONTHS})\.? \d{{1,4}}(?:st|nd|rd|th)?(?:,? \d{{4}})?|(?:next |last |on )?(?:{_DAYS})|"
    rf"\d{{4}}-\d{{2}}-\d{{2}}|(?:in )(?:19|20)\d\d)\b|"
    r"(?:\d{4}年)?\d{1,2}月(?:\d{1,2}[日号])?|(?:周|星期)[一二三四五六日天]",
    re.IGNORECASE,
)
_SMALL = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty".replace(
    " ", "|"
)
_NUMBER = re.compile(
    rf"[$€£¥]?\b\d+(?:[.,:]\d+)*(?:%|[^\W\d_]{{1,3}}\b)?|\b(?:{_SMALL})\b|[一二两三四五六七八九十百千万]{{2,}}",
    re.IGNORECASE,
)
# The rest of a number of several parts, such as a telephone number, around a part.
_LED, _FOLLOWED = re.compile(r"(?:\+|\d[ ()/-]{1,2})$"), re.compile(r"[ ()/-]{1,2}\d")
_CODE = re.compile(r"\b(?:[A-Z]+\d|\d+[A-Z])[A-Z0-9]*(?:-[A-Z0-9]+)*\b", re.ASCII)
_NAME = re.compile(r"(?:[A-ZÀ-ÞА-ЯΑ-Ω][^\W\d_]*(?:[ '-](?=[A-ZÀ-ÞА-ЯΑ-Ω]))?)+|[“「《][^”」》]{2,20}[”」》]")
_LIKED = re.compile(
    r"(?:\b(?:I|we|he|she|they|[A-Z][^\W\d_]+) "
    r"(?:(?:really|also|do|don['’]t|doesn['’]t|absolutely|just|still|never|always) ){0,2}"
    r"(?:love|like|hate|dislike|prefer|enjoy|adore)s?|\bcan['’]t stand|\ballergic to|"
    r"\bfavou?rite [\w ]{2,20}? (?:is|are|was))\s+(?:(?:to|the|an?|my|really) )?(?P<what>[^\W\d_]+(?: [^\W\d_]+){0,2}?)"
    r"(?=\s+(?:and|but|because|when|more|in|on|at|for|with|than|so|to|of|it|that|the|as|a|or)\b|[,.;!]|$)|"
    rf"(?:喜欢|讨厌|最?爱[吃喝]|最爱|不吃|偏爱)(?P<was>[{_UNSPACED}]{{2,6}}?)(?=[\uff0c。\uff01\uff1b、,和的]|$)",
)
_CORRECTED = re.compile(
    r"\b(?:actually|no longer|any ?more|instead|changed|moved to|turns out|correction|was wrong)\b|"
    r"其实|不再|改[成为到在]|换[成到]|更正|搬到",
    re.IGNORECASE,
)
_NO_NAMES = frozenset(f"I|I'm|OK|Okay|Hi|Hello|Hey|Yes|No|Thanks|Well|So|{_MONTHS}|{_DAYS}".lower().split("|"))
_NO_TASTE = frozenset(
    "that it this them those these you him her me us to what how when if a the for in on being being your".split()
)


def draft_questions(transcripts: Iterable[Transcript], model: ModelOption | None = None, count: int = 20) -> str:
    """Return conversations with drafted questions, as the text of a YAML file for `memzoo compare`.

    Args:
        transcripts: The conversations.
        model: The model that drafts the questions; without a model, `gap_questions` drafts them.
        count: The approximate number of questions for each conversation.

    Raises:
        TransferError: Rules found nothing to ask about in any conversation.
        ModelError: The model failed.
        ModelReplyError: The model's reply has no question with evidence.
    """
    transcripts = list(transcripts)
    asking = None if model is None else as_model(model)
    asked = [_by_model(asking, one, count) if asking else _by_rules(one, count) for one in transcripts]
    if not any(asked):
        raise TransferError(
            "rules found nothing to ask about: no sentence of a user with five or more words has a name, a number, a "
            "date or a taste; let a model draft questions with --model"
        )
    documents = [_yaml(one, found) for one, found in zip(transcripts, asked, strict=True)]
    if len(documents) > 1:
        documents = [f"- {textwrap.indent(document, '  ')[2:]}" for document in documents]
    return (_BY_MODEL if asking else _BY_RULES) + "".join(documents)


def _by_rules(transcript: Transcript, count: int) -> list[dict[str, Any]]:
    places = {text_of(message): f"m{number}" for number, message in reversed([*enumerate(messages_in(transcript))])}
    return [
        {
            "question": one.text,
            "answer": one.answer,
            "evidence": [places[text] for text in one.evidence],
            "category": one.category,
        }
        for one in gap_questions(transcript, count)
    ]


def _by_model(model: Model, transcript: Transcript, count: int) -> list[dict[str, Any]]:
    messages, templates = list(messages_in(transcript)), PromptSet()
    parts = list(_parts(messages))
    found: list[dict[str, Any]] = []
    for part in parts:
        lines = "\n".join(f"[{number}] {messages[number]['role']}: {text_of(messages[number])}" for number in part)
        content = templates.render("compare_questions", lines=lines, count=-(-count // len(parts)))
        reply = drive(model.complete([{"role": "user", "content": content}], "compare_questions"))
        found += _read(reply.text, set(map(str, part)))
    if not found:
        raise ModelReplyError(f"the model {model.name!r} drafted no question in the requested form")
    return found


def _parts(messages: Sequence[Message]) -> Iterator[list[int]]:
    """Yield lists of message numbers; the messages of each list fit into one prompt."""
    part, size = list[int](), 0
    for number, message in enumerate(messages):
        size += len(text_of(message))
        if part and size > _MOST_CHARACTERS:
            yield part
            part, size = [], len(text_of(message))
        part.append(number)
    yield part


def _read(reply: str, known: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the questions in a reply whose evidence cites at least one message of the prompt."""
    for line in reply.splitlines():
        fields = [field.strip() for field in line.strip().strip("|").split("|")]
        if len(fields) != _FIELDS or not fields[0].rstrip().endswith(("?", "\uff1f", ".")):
            continue
        cited = (one.lstrip("0") or "0" for one in re.findall(r"[0-9]+", fields[2]))
        evidence = [f"m{number}" for number in dict.fromkeys(cited) if number in known]
        if evidence:
            yield {"question": fields[0], "answer": fields[1], "evidence": evidence, "category": fields[3].lower()}


def _yaml(transcript: Transcript, found: Sequence[dict[str, Any]]) -> str:
    about = {"title": transcript.title, "user": transcript.user, "assistant": transcript.assistant}
    lines = [f"{key}: {_json(value)}" for key, value in about.items()]
    lines.append("questions:" if found else "questions: []")
    for one in found:
        first, *others = one.items()
        lines += [f"- {first[0]}: {_json(first[1])}", *(f"  {key}: {_json(value)}" for key, value in others)]
    lines.append("sessions:")
    numbers = itertools.count()
    # A new session for each new date, because a session has one date.
    for date, exchanges in itertools.groupby(transcript.exchanges, key=lambda one: one.said_at):
        dated = f"- date: {_json(date.isoformat())}\n  messages:" if date != UNDATED else "- messages:"
        said = [
            {**message, "id": f"m{next(numbers)}", **_keep(message, one)}
            for one in exchanges
            for message in one.messages
        ]
        lines += [dated, *(f"  - {_json(one)}" for one in said)]
    return "\n".join(lines) + "\n"


def _keep(message: Message, exchange: Exchange) -> dict[str, Any]:
    """Return the field `keep` of a message, as a dict, if the message's text is marked in the exchange; else {}."""
    mark = next((one for one in exchange.marks if one.text == text_of(message)), None)
    asked = {"question": mark.question} if mark and mark.question else {}
    return {"keep": {"kind": mark.kind, "means": mark.means, **asked}} if mark else {}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _Gap:
    """A sentence with a span that a question can leave out.

    Attributes:
        place: The number of the message.
        kind: The kind of the span, such as "name".
    """

    place: int
    sentence: str
    start: int
    end: int
    kind: str

    @property
    def answer(self) -> str:
        return self.sentence[self.start : self.end]

    @property
    def question(self) -> str:
        most = _WORDS_AROUND if " " in self.sentence else 2 * _WORDS_AROUND  # a character is less than a word
        before = [one.start() for one in _WORD.finditer(self.sentence, 0, self.start)]
        behind = [one.end() for one in _WORD.finditer(self.sentence, self.end)]
        begin = before[-most] if len(before) > most else 0
        end = behind[most - 1] if len(behind) > most else None
        return f"{self.sentence[begin : self.start]}{GAP}{self.sentence[self.end : end]}".strip()


class _Said(NamedTuple):
    place: int
    text: str


def gap_questions(transcript: Transcript, count: int = 20) -> list[Question]:
    """Return questions drafted by rules (sentences of the user with a gap), spread over the conversation.

    Returns:
        Questions of the kinds "drafted name", "drafted number", "drafted date", "drafted preference" and "drafted
        correction".
    """
    messages = [text_of(message) for message in messages_in(transcript)]
    roles = [message["role"] for message in messages_in(transcript)]
    said = [_Said(place, messages[place]) for place, role in enumerate(roles) if role == "user"]
    small = {word for text in messages for word in re.findall(r"\b[^\W\d_]+\b", text) if word.islower()}
    folded = [text.casefold() for text in messages]

    @functools.cache
    def count_mentions(answer: str) -> int:
        return sum(answer in text for text in folded)

    counted = ((gap, count_mentions(gap.answer.casefold())) for gap in _gaps(said, small))
    found = [(gap, mentions) for gap, mentions in counted if mentions <= _MOST_MENTIONS]
    return [
        Question(gap.question, gap.answer, (messages[gap.place],), f"{DRAFTED} {gap.kind}")
        for gap in _spread(found, len(messages), count)
    ]


def _gaps(said: Sequence[_Said], small: set[str]) -> Iterator[_Gap]:
    for place, text in said:
        for sentence in _SENTENCE_END.split(text):
            stated = sentence.strip()
            words = len(_WORD.findall(stated))
            if not _FEWEST_WORDS <= words <= _MOST_WORDS or _NO_STATEMENT.search(stated):
                continue
            corrects = _CORRECTED.search(stated) is not None
            for start, end, kind in _spans(stated, small):
                if len(_WORD.findall(stated[:start] + stated[end:])) >= _FEWEST_WORDS - 2:
                    yield _Gap(place, stated, start, end, "correction" if corrects else kind)


def _spans(sentence: str, small: set[str]) -> Iterator[tuple[int, int, str]]:
    """Yield spans of whole words that a question can leave out, the most specific kind first, without overlaps."""
    taken: list[tuple[int, int]] = []
    for start, end, kind in _all_spans(sentence, small):
        if not _in_a_word(sentence, start, end) and not any(start < there[1] and there[0] < end for there in taken):
            taken.append((start, end))
            yield start, end, kind


def _in_a_word(sentence: str, start: int, end: int) -> bool:
    edges = [sentence[place - 1 : place + 1] for place in (start, end) if 0 < place < len(sentence)]
    return any(edge.isascii() and edge.isalnum() for edge in edges)


def _all_spans(sentence: str, small: set[str]) -> Iterator[tuple[int, int, str]]:
    for one in _LIKED.finditer(sentence):
        group = "what" if one["what"] else "was"
        if one[group].split()[0].lower() not in _NO_TASTE:
            yield *one.span(group), "preference"
    for one in _DATE.finditer(sentence):
        yield *one.span(), "date"
    for one in _CODE.finditer(sentence):
        yield *one.span(), "number"
    for one in _NAME.finditer(sentence):
        # The first word of a sentence, and a word that also occurs in lower case, are mostly not names.
        first = one.group().split()[0]
        if len(one.group()) > 1 and (one.start() or not first[0].isalpha()) and first.lower() not in _NO_NAMES | small:
            yield *one.span(), "name"
    for one in _NUMBER.finditer(sentence):
        if not (_LED.search(sentence, 0, one.start()) or _FOLLOWED.match(sentence, one.end())):
            yield *one.span(), "number"


def _spread(found: Sequence[tuple[_Gap, int]], messages: int, count: int) -> list[_Gap]:
    """Choose up to `count` gaps, at most one of each sentence, spread over the conversation and over the kinds.

    A gap of the kind chosen least so far comes first, then a gap whose answer occurs in the fewest messages.
    """
    kinds, chosen = Counter[str](), list[_Gap]()
    parts: dict[int, list[tuple[_Gap, int]]] = defaultdict(list)
    for gap, mentions in found:
        parts[gap.place * count // max(messages, 1)].append((gap, mentions))
    left: list[tuple[_Gap, int]] = []

    def worth(one: tuple[_Gap, int]) -> tuple[int, int, int]:
        return kinds[one[0].kind], one[1], one[0].place

    def choose(among: list[tuple[_Gap, int]]) -> None:
        best = min(among, key=worth)
        among[:] = [one for one in among if one[0].sentence != best[0].sentence]
        chosen.append(best[0])
        kinds[best[0].kind] += 1

    for part in parts.values():
        choose(part)
        left += part
    while left and len(chosen) < count:
        choose(left)
    return sorted(chosen, key=lambda gap: (gap.place, gap.start))
