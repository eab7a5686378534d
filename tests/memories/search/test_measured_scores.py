"""Scores stay what they were when the weights of the searches were measured, to a thousandth.

Whoever changes a weight, a bound or a formula measures anew what is found (docs/graph.md, docs/retrieval-research.md),
and then writes these scores anew: `python -m tests.memories.search.test_measured_scores`.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from memzoo.memories.search.unit_index import KnownUnit, UnitIndex
from memzoo.memories.search.word_index import WordIndex
from memzoo.strategy import Passage

SCORES = Path(__file__).parent / "data" / "measured_scores.json"
BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
WORDS = """
    oven boat bread flour harbour guitar lesson teacher garden tomato train ticket museum doctor dentist kitchen window
    winter summer river mountain market cheese coffee tea novel author chapter library dog cat vet kennel violin choir
    concert bicycle brake wheel mechanic rent landlord flat lease budget invoice supplier price sister brother cousin
""".split()
PEOPLE = ["anna", "bo", "cleo hall", "devin", "the oven", "the boat", "oslo", "ghent"]
PHRASES = [
    "nice and really big",
    "on 12 May",
    "for $40",
    "yesterday",
    "at 3 pm",
    "in Oslo",
    "actually, make that $50",
    "is now 70",
    "we decided on the other one",
    "I think",
]
QUESTIONS = [
    "Who has the oven?",
    "Where did my teacher learn the violin?",
    "How much is the rent of the flat?",
    "When is the guitar lesson?",
    "nice tomato bread",
    "What did Cleo Hall say about the old library book in March?",
    "What does Mel like?",
]


def text_of(chance: Random, most: int) -> str:
    """Some words, now and then with a phrase that means more, and maybe as a question."""
    words: list[str] = chance.choices(WORDS, weights=range(len(WORDS), 0, -1), k=chance.randint(1, most))
    if chance.random() < 0.4:
        words.insert(chance.randrange(len(words) + 1), chance.choice(PHRASES))
    return " ".join(words) + chance.choice([".", ".", "?", "! And more."])


def known() -> UnitIndex:
    """A hundred things that are known, under one name or two, most with a day."""
    chance, index = Random(3), UnitIndex(lambda _, item: [item])  # noqa: S311 - chance that repeats
    units: dict[str, Any] = {}
    for at in range(100):
        names = tuple(chance.sample(PEOPLE, chance.choice([1, 2, 2])))
        if at % 4 < 2:
            names = (names[0], f"thing {at // 4 if at % 8 < 2 else at}")
        said = BEGIN + timedelta(days=chance.randrange(60), hours=at) if at % 7 else None
        text = f"{names[0]} {text_of(chance, 30 if at % 9 == 0 else 8)}"
        units[str(at)] = KnownUnit(text, names, at if at % 11 else 0, said, tells=at % 5 == 0)
    index.apply(units)
    return index


def talk() -> WordIndex:
    """Three hundred messages of three speakers, over some days."""
    chance, index, now = Random(5), WordIndex(), BEGIN  # noqa: S311 - chance that repeats
    passages: list[Passage] = []
    for at in range(300):
        now += timedelta(minutes=chance.choice([1, 1, 5, 59, 61, 600]))
        speaker = chance.choice(["Anna", "Bo", "Human"])
        text = text_of(chance, {"Anna": 120, "Bo": 40, "Human": 15}[speaker])
        if at % 20 == 0:
            text = f"Hey Mel! {text}"
        passages.append(Passage(at + 2, speaker, text, now, begins=speaker == "Human"))
    index.add(passages)
    return index


def scores_of(found: Iterable[tuple[Any, float]]) -> dict[str, float]:
    """The best ten, and the sum of all."""
    scores = {str(what): float(score) for what, score in found}
    return {**dict([*scores.items()][:10]), "of all": sum(scores.values())}


def measured() -> dict[str, Mapping[str, Any]]:
    """What both searches find, and which corrections come with it."""
    facts, said = known(), talk()
    named = [{}, {"devin": 1.0, "oslo": 0.7}]
    found: dict[str, Mapping[str, Any]] = {}
    for question in QUESTIONS:
        for names in named:
            units = facts.search(question, names)
            found[f"known {len(names)} {question}"] = scores_of((one.key, score) for one, score in units.items())
        touched = facts.find_touched(
            f"{question}\nThe boat is for sale.", lambda line: {"the boat": 1.0} if "boat" in line else {}
        )
        found[f"touched {question}"] = scores_of((one.key, score) for one, score in touched.items())
        found[f"said {question}"] = scores_of(said.scores(question).items())
        similar = {at: 1 / at for at in range(2, 90, 5)}
        found[f"said and nearer {question}"] = scores_of(said.scores(question, similar).items())
        found[f"said and near {question}"] = scores_of(said.scores(question, similar, 0.7).items())
        found[f"exchanges {question}"] = {
            "first": said.exchanges([*said.scores(question)][:9], 4),
        }
    for limit in (60, 500, 2000):
        for first in (2, 40, 80, 120, 200, 250):
            found[f"corrected {limit} {first}"] = {"shown": said.add_corrections([*range(first, first + 40)], limit)}
    return found


def test_what_is_found_is_what_was_measured() -> None:
    """The same in the same order, with the same scores."""
    recorded = json.loads(SCORES.read_text(encoding="utf-8"))
    now = json.loads(json.dumps(measured()))
    assert list(now) == list(recorded)
    for what, found in recorded.items():
        assert list(now[what]) == list(found), what
        for key, value in found.items():
            assert now[what][key] == (pytest.approx(value, rel=1e-3, abs=1e-4) if isinstance(value, float) else value)


if __name__ == "__main__":
    SCORES.parent.mkdir(exist_ok=True)
    rounded = json.loads(json.dumps(measured()), parse_float=lambda number: round(float(number), 4))
    lines = (f"{json.dumps(what)}: {json.dumps(found)}" for what, found in rounded.items())
    SCORES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
