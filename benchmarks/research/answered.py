"""Compares the answers in views with the replies of a model: `python -m memzoo.benchmarks.research answered`.

A view that contains the right answer helps only if a model can use it to answer correctly. Run the command three
times. For each memory and budget, there are files `FOLDER/NAME-BUDGET` with these endings:

1. The first run writes `.views`: the views for the questions of the bundled conversation. A model, or a person who sees
   nothing else, answers the questions. Save the replies as `.replies` (JSON with question numbers: `{"17": "reply"}`).
2. The second run writes `.sheet`: the replies beside the right answers. A person (the reader) marks each reply as right
   or wrong. Save the marks as `.marks` (`{"17": true}`).
3. The third run writes `.json`: the replies with their marks. The table is computed from these files.

`--again` repeats the three runs for the views that have changed since the third run. `--second 100` writes a sample of
100 replies to `second.sheet`, for a second reader. Save that reader's marks as `second.json`
(`{"buffer-300/17": true}`); the command then prints how often both readers agree.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import StatisticsError, correlation
from typing import Annotated, Any, NamedTuple

import typer
from pydantic import TypeAdapter

from memzoo.benchmarks.comparing import in_place_of_rules
from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.measure.measuring import measure
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.outcomes import Scored, Shape
from memzoo.benchmarks.research.inputs import limits_of, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import Question, sample_transcripts
from memzoo.benchmarks.variants import parse_variant
from memzoo.errors import OptionError

_MEMORIES = "buffer,vector-retriever,summary,summary-buffer,entity,knowledge-graph"


class Answer(Shape):
    """A model's reply to a question, from a view alone.

    Attributes:
        shown: True if the view contains the right answer.
        key: True if a rule finds the right answer in the reply.
        right: True if a reader marked the reply as right.
    """

    question: int
    view: str
    shown: bool
    reply: str
    key: bool
    right: bool


_Answers = TypeAdapter(list[Answer])


def answered(
    folder: Annotated[Path, typer.Argument(help="The folder with a file for each memory and budget.")],
    *,
    memory: Annotated[str, typer.Option(help="The memories, with commas between them.")] = _MEMORIES,
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "300,1000",
    disagreements: Annotated[
        bool, typer.Option(help="Print the questions on which the two counts, or two readers, disagree.")
    ] = False,
    again: Annotated[
        bool, typer.Option(help="Write the views that have changed, or read the replies if there are any.")
    ] = False,
    second: Annotated[int, typer.Option(help="Write this number of replies for a second reader.")] = 0,
) -> None:
    """Compare two counts: the views that contain the right answer, and the right replies of a model."""
    with refusals():
        (talk,) = sample_transcripts()
        variants = in_place_of_rules([talk], [parse_variant(name) for name in memory.split(",")])
        settings = Settings(budgets=limits_of(budgets), counter="o200k_base")
        rows, told, every = list[list[str]](), list[str](), dict[str, Answer]()
        for variant in variants:
            outcome, _ = measure(talk, 0, variant, settings)
            for budget, found in outcome.budgets.items():
                scores = zip(talk.measured, found.answers, strict=True)
                asked = [_Asked(number, *one) for number, one in enumerate(scores, 1) if one[1].answer is not None]
                name = f"{variant.name.rstrip('*')}-{budget}"
                answers = _answers_of(folder / name, asked, again=again)
                changed = sum(one.view != then.digest for one, then in zip(answers, asked, strict=bool(answers)))
                rows.append([f"{variant.name} @{budget:,}", *compare_shown(answers), str(changed)])
                told += [
                    f"{variant.name} @{budget:,}: {'shown' if one.shown else 'not shown'}, "
                    f"{talk.measured[one.question - 1].text} {one.reply!r}"
                    for one in answers
                    if one.shown != one.right
                ]
                every |= {f"{name}/{one.question}": one for one in answers}
    heads = ["memory", "questions", "shown", "answered, by the key", "by a reader", "only shown", "only answered"]
    marked = folder / "second.json"
    seconds: dict[str, bool] = json.loads(marked.read_text(encoding="utf-8")) if marked.exists() else {}
    seconds = {name: right for name, right in seconds.items() if name in every}
    if seconds:
        differ = [name for name, right in seconds.items() if right != every[name].right]
        agreement = agree([(every[name].right, right) for name, right in seconds.items()])
        told += [f"{name}: {every[name].reply!r} is right to one reader" for name in differ]
    if second:
        # In an order that is not that of the memories.
        drawn = sorted(every, key=lambda name: hashlib.sha256(name.encode()).hexdigest())[:second]
        sheet = [_sheet(talk.measured[every[name].question - 1], every[name].reply) for name in drawn]
        _write(folder / "second.sheet", drawn, sheet)
    rows.append(["all", *compare_shown(list(every.values())), ""])
    lines = [*([agreement] if seconds else []), *(told if disagreements else [])]
    show(table([*heads, "correlation", "changed views"], rows), *lines)


def agree(marks: Sequence[tuple[bool, bool]]) -> str:
    """Return a sentence that says how often two readers agree, with Cohen's kappa.

    Example:
        >>> agree([(True, True), (True, False), (False, False), (False, False)])
        'Two readers agree on 3 of 4 replies (kappa 0.50).'
    """
    alike, (one, other) = sum(a == b for a, b in marks), (sum(side) / len(marks) for side in zip(*marks, strict=True))
    chance = one * other + (1 - one) * (1 - other)
    kappa = (alike / len(marks) - chance) / (1 - chance) if chance < 1 else 1.0
    return f"Two readers agree on {alike} of {len(marks)} replies (kappa {kappa:.2f})."


def compare_shown(answers: Sequence[Answer]) -> list[str]:
    """Return the cells of a row: six counts, and the correlation (phi) between "shown" and "right".

    The counts: all answers, shown, right by a rule, right by a reader, shown but not right, right but not shown.

    Example:
        >>> def one(shown: bool, right: bool) -> Answer:
        ...     return Answer(question=1, view="", shown=shown, reply="", key=right, right=right)
        >>> compare_shown([one(True, True), one(True, False), one(False, False), one(False, False)])
        ['4', '2', '1', '1', '1', '0', '0.58']
    """
    shown, right = [one.shown for one in answers], [one.right for one in answers]
    try:
        phi = f"{correlation(shown, right):.2f}"
    except StatisticsError:  # all alike, or too few
        phi = ""
    only = [
        sum(one and not other for one, other in zip(*pair, strict=True)) for pair in ((shown, right), (right, shown))
    ]
    counts = [len(answers), sum(shown), sum(one.key for one in answers), sum(right), *only]
    return [*map(str, counts), phi]


class _Asked(NamedTuple):
    """A question with its number, and a memory's scores for it, which include the view."""

    number: int
    question: Question
    scored: Scored

    @property
    def view(self) -> str:
        return "\n".join(f"{role}: {text}" for role, text in self.scored.shown or ()) or "(nothing)"

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.view.encode()).hexdigest()[:16]


def _answers_of(place: Path, asked: Sequence[_Asked], *, again: bool) -> list[Answer]:
    """Return the packed answers for a memory and budget; if some are missing, write the next file toward them.

    With `again`, a question whose view has changed has no answer until the new view has a reply and a mark.
    """
    packed, replies, marks = (place.with_suffix(f".{kind}") for kind in ("json", "replies", "marks"))
    known = _Answers.validate_json(packed.read_bytes()) if packed.exists() else []
    views = {one.question: one.view for one in known}
    due = [one for one in asked if views.get(one.number, "") != one.digest and (again or not known)]
    if not due:
        return known
    place.parent.mkdir(parents=True, exist_ok=True)
    # In another order for each file, so that nobody answers from the question before.
    mixed = sorted(due, key=lambda one: one.digest)
    numbers = [str(one.number) for one in mixed]
    if not replies.exists():
        texts, last = list[str](), ""
        for one in mixed:
            view, last = "(the same view)" if one.digest == last else one.view, one.digest
            texts.append(f"{view}\n\nQUESTION: {one.question.text}")
        _write(place.with_suffix(".views"), numbers, texts)
        return known
    given = _read(replies, due)
    if not marks.exists():
        _write(place.with_suffix(".sheet"), numbers, [_sheet(one.question, given[one.number]) for one in mixed])
        return known
    right = _read(marks, due)
    answered = {one.question: one for one in known} | {
        one.number: Answer(
            question=one.number,
            view=one.digest,
            shown=bool(one.scored.answer),
            reply=given[one.number],
            key=bool(answer_found(one.question.answer, [given[one.number]])),
            right=right[one.number],
        )
        for one in due
    }
    answers = [answered[one.number] for one in asked]
    lines = ",\n".join(one.model_dump_json() for one in answers)
    packed.write_text(f"[{lines}]\n", encoding="utf-8", newline="\n")
    return answers


def _sheet(question: Question, given: str) -> str:
    return f"question: {question.text}\nright: {question.answer}\ngiven: {given}"


def _write(file: Path, names: Sequence[str], texts: Sequence[str]) -> None:
    entries = [f"### {name}\n{text}\n" for name, text in zip(names, texts, strict=True)]
    file.write_text("\n".join(entries), encoding="utf-8", newline="\n")


def _read(file: Path, asked: Sequence[_Asked]) -> dict[int, Any]:
    found = {int(number): one for number, one in json.loads(file.read_text(encoding="utf-8")).items()}
    if missing := [str(one.number) for one in asked if one.number not in found]:
        raise OptionError(f"{file.name} has nothing for {', '.join(missing)}")
    return found
