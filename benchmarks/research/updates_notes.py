"""Whether notes and facts follow what was corrected: `python -m memzoo.benchmarks.research updates-notes FILE`.

FILE has the timelines of StateBench, a JSON object a line; those of its track "supersession_detection" are used. Each
is told to a memory, and its question asked. What must be mentioned is looked for in what the memory shows for the
question, what must not be in everything that it derived, whatever the question.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from memzoo.benchmarks.research.inputs import STATEBENCH, check_paths, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.research.updates_reader import reader, reader_that_ends_nothing
from memzoo.memories import BaseMemory, ConversationEntityMemory, ConversationKGMemory
from memzoo.memories.text.names import canonical, mentions
from memzoo.strategy import ModelOption

__all__ = ["Case", "Outcome", "cases", "measure", "report", "updates_notes"]

_TRACK = "supersession_detection"
_MARK = re.compile(r"\b(?:former(?:ly)?|previously|until|replaced by|superseded|no longer|not)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Case:
    """A timeline with a correction.

    Attributes:
        template: Its first message, without what is to be mentioned and what is not.
        exchanges: What was said: each a user message, and the answer if there was one.
        question: What is asked at the end.
        new: Strings that must be mentioned.
        old: Strings that must not, unless they are marked as superseded.
    """

    template: str
    exchanges: Sequence[Sequence[tuple[str, str]]]
    question: str
    new: Sequence[str]
    old: Sequence[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a memory made of a case.

    Attributes:
        template: The case's.
        present: All that must be mentioned is shown for the question.
        standing: Something that must not be mentioned is left, in whatever words around it.
        unmarked: It is neither marked as superseded nor next to the new value.
    """

    template: str
    present: bool
    standing: bool
    unmarked: bool


def cases(path: Path) -> list[Case]:
    """The cases in a file of StateBench."""
    timelines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [_case(timeline["events"]) for timeline in timelines if timeline["track"] == _TRACK]


def measure(case: Case, strategy: str, model: ModelOption) -> Outcome:
    """Tell a memory what was said, and look at what it derived.

    Args:
        case: The timeline.
        strategy: "entity" or "knowledge-graph".
        model: What answers its prompts.
    """
    make, derived = _STRATEGIES[strategy]
    memory = make(llm=model, on_model_error="defer")
    for exchange in case.exchanges:
        memory.add_messages([{"role": role, "content": text} for role, text in exchange])
    loaded = memory.load_memory_variables({"input": case.question})
    shown = str(loaded["entities"] if strategy == "entity" else loaded["history"])
    pieces = list(derived(memory))
    present = all(_has(shown, new) for new in case.new)
    standing = any(_has(piece, old) for old in case.old for piece in pieces)
    return Outcome(case.template, present, standing, any(_has_unmarked(old, case.new, pieces) for old in case.old))


def report(measured: Mapping[str, Sequence[Outcome]], title: str) -> str:
    """Counts by template and in all, for each model by name: new shown, old left, old left unmarked."""
    first = next(iter(measured.values()))
    templates = Counter(outcome.template for outcome in first)
    rows = [
        [
            template,
            str(count),
            *(_counts([one for one in some if one.template == template]) for some in measured.values()),
        ]
        for template, count in templates.most_common()
    ]
    rows.append(["all", str(len(first)), *map(_counts, measured.values())])
    return table(["template", "cases", *measured], rows, f"{title}: new value shown / old value left / left unmarked")


def updates_notes(
    file: Annotated[Path, typer.Argument(help="StateBench's train.jsonl or dev.jsonl.")] = STATEBENCH,
) -> None:
    """Count how often notes and facts hold a corrected value, and the old one unmarked."""
    with refusals():
        told = cases(*check_paths(file))
    show(
        *(
            report(
                {name: [measure(case, strategy, model) for case in told] for name, model in _MODELS},
                f"{strategy}, {file.name}",
            )
            for strategy in _STRATEGIES
        ),
    )


def _case(events: Sequence[dict[str, Any]]) -> Case:
    turns = [(event["speaker"], event["text"]) for event in events if event["type"] == "conversation_turn"]
    (asked,) = (event for event in events if event["type"] == "query")
    truth = asked["ground_truth"]
    template = re.sub(r"\d+ units of \w+ to [^.]*", "...", turns[0][1])
    for value in (*truth["must_mention"], *truth["must_not_mention"]):
        template = template.replace(value, "...")
    starts = [place for place, (speaker, _) in enumerate(turns) if speaker == "user"]
    exchanges = [turns[start:end] for start, end in zip(starts, [*starts[1:], len(turns)], strict=True)]
    return Case(template, exchanges, asked["prompt"], truth["must_mention"], truth["must_not_mention"])


def _notes(memory: BaseMemory) -> Iterator[str]:
    assert isinstance(memory, ConversationEntityMemory)  # noqa: S101 - tells the type
    for name, note in memory.entities.items():
        yield from (f"{name}: {sentence}" for sentence in _SENTENCE_END.split(note))


def _facts(memory: BaseMemory) -> Iterator[str]:
    assert isinstance(memory, ConversationKGMemory)  # noqa: S101 - tells the type
    yield from map(str, memory.kg.facts())


def _has_unmarked(old: str, new: Sequence[str], pieces: Sequence[str]) -> bool:
    """Whether a piece has the old value, no mark, and the new value neither itself nor in the piece after it."""
    return any(
        _has(piece, old)
        and not _MARK.search(piece)
        and not any(_has(" ".join(pieces[at : at + 2]), value) for value in new)
        for at, piece in enumerate(pieces)
    )


def _has(text: str, value: str) -> bool:
    return mentions(text, canonical(value))


def _counts(outcomes: Sequence[Outcome]) -> str:
    sums = map(sum, zip(*((one.present, one.standing, one.unmarked) for one in outcomes), strict=True))
    return " / ".join(map(str, sums))


_MODELS: tuple[tuple[str, ModelOption], ...] = (
    ("offline rules, a floor", "offline"),
    ("scripted reader", reader),
    ("scripted reader that ends nothing", reader_that_ends_nothing),
)
_STRATEGIES: dict[str, tuple[Callable[..., BaseMemory], Callable[[BaseMemory], Iterator[str]]]] = {
    "entity": (ConversationEntityMemory, _notes),
    "knowledge-graph": (ConversationKGMemory, _facts),
}
