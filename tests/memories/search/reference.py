"""What the word index has to agree with: the same search as it is written down, by SQLite's own full-text ranking."""

import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import timedelta

from memzoo.memories.search.languages.telling import find_telling_words
from memzoo.memories.text.days import MONTHS
from memzoo.memories.text.language import UNSPACED
from memzoo.strategy import Passage

HOUR = timedelta(hours=1)


def fts_scores(passages: Sequence[Passage], query: str, names: Iterable[str] = ()) -> dict[int, float]:
    """The scores of all messages near a word of the query, by log number."""
    if not passages:
        return {}
    starts = segment_starts(passages)
    spans = {
        "own": {place: (place, place + 1) for place in range(len(passages))},
        "around": {place: window(passages, place) for place in range(len(passages))},
        "segment": {start: (start, end) for start, end in zip(starts, [*starts[1:], len(passages)], strict=True)},
    }
    match = " OR ".join(f'"{word}"' for word in find_telling_words(query))
    own, around, segments = (ranked(passages, spans[grain], match) for grain in ("own", "around", "segment"))
    asked = {name for name in names if name.casefold() in query.casefold()}
    months = set(query.split()) & set(MONTHS)
    fit = {
        place: (score + 0.5 * own.get(place, 0) + segments.get(max(start for start in starts if start <= place), 0))
        * (1 + bool(months & set(passages[place].date.split())))
        for place, score in around.items()
    }
    best = max(fit.values(), default=0.0)
    return {
        passages[place].seq: score
        + 5 * (passages[place].speaker in asked)
        + 0.2 * after_question(passages, place, own)
        - best * (0.1 * asking(passages[place].text) - 0.05 * tells(passages[place].text) + cost(passages, place))
        for place, score in fit.items()
    }


def after_question(passages: Sequence[Passage], place: int, own: dict[int, float]) -> float:
    """The score of the message before by its own words, as far as it asks and this one follows soon."""
    if not place or paused(passages, place):
        return 0.0
    return own.get(place - 1, 0.0) * asking(passages[place - 1].text)


def cost(passages: Sequence[Passage], place: int) -> float:
    """What a message loses for its length, and for the length of what its speaker says."""
    lengths = [letters(passage.text) for passage in passages if passage.speaker == passages[place].speaker]
    return 0.4 * doublings(letters(passages[place].text)) + 0.2 * doublings(sum(lengths) / len(lengths))


def doublings(length: float) -> float:
    """How often 270 letters are doubled."""
    return math.log2(max(length, 270) / 270)


def letters(text: str) -> int:
    """The letters of a text; a Chinese or Japanese character takes the room of four."""
    return len(text) + 3 * len(re.findall(f"[{UNSPACED}]", text))


def spaced(text: str) -> str:
    """Chinese and Japanese characters as words."""
    return re.sub(f"[{UNSPACED}]", r" \g<0> ", text)


def ranked(passages: Sequence[Passage], spans: dict[int, tuple[int, int]], match: str) -> dict[int, float]:
    """The spans that match, scored by SQLite."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
    for place, (first, end) in spans.items():
        text = " ".join([passages[first].date, *(passage.text for passage in passages[first:end])])
        database.execute("INSERT INTO texts (rowid, text) VALUES (?, ?)", (place, spaced(text)))
    search = "SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ?"
    found = dict(database.execute(search, (match,))) if match else {}
    database.close()
    return found


def window(passages: Sequence[Passage], place: int) -> tuple[int, int]:
    """The messages around one, in turns to the left and to the right, within 850 letters and without a pause."""
    first, end, room, grown = place, place + 1, 850 - size(passages[place]), True
    while grown:
        grown = False
        if first > 0 and not paused(passages, first) and size(passages[first - 1]) <= room:
            first, grown = first - 1, True
            room -= size(passages[first])
        if end < len(passages) and not paused(passages, end) and size(passages[end]) <= room:
            room -= size(passages[end])
            end, grown = end + 1, True
    return first, end


def segment_starts(passages: Sequence[Passage]) -> list[int]:
    """Where segments of at most 3,000 letters begin."""
    starts: list[int] = []
    for place in range(len(passages)):
        new = not starts or paused(passages, place)
        if new or sum(map(size, passages[starts[-1] : place + 1])) > 3000:
            starts.append(place)
    return starts


def paused(passages: Sequence[Passage], place: int) -> bool:
    """Whether more than an hour lies before a message."""
    before, now = passages[place - 1].said_at, passages[place].said_at
    return before is not None and now is not None and now - before > HOUR


def size(passage: Passage) -> int:
    """The room that a message takes in a window."""
    return max(letters(passage.text), 10)


def asking(text: str) -> float:
    """The share of the sentences that ask."""
    sentences: list[str] = re.split(r"(?<=[.!?])\s+|(?<=[。\uff01\uff1f])(?=.)", text.strip())
    return sum(sentence.endswith(("?", "\uff1f")) for sentence in sentences) / len(sentences)


def tells(text: str) -> bool:
    """Tell if "I" or "we" speak."""
    words = set(re.findall(r"\w+", text.lower()))
    return bool(words & {"i", "me", "my", "mine", "we", "us", "our"}) or "我" in text or "咱" in text
