"""How much of what is known is shown: `python -m memzoo.benchmarks.research knowing`.

The entity memory and the knowledge graph are given states, and asked the questions of their talks at budgets of tokens.
The states are learnt from a conversation of LoCoMo by the offline rules; with `--learnt` from each talk to which a
folder has a model's replies, see `strong-model`. Counted is the share of questions whose answer's words are in what is
shown; beside it, what statements drawn at random show, what those show that are chosen with the answer at hand, which
is the most that any search could show, and what the search shows when a part of it is left out. A `!` marks a
difference, question by question, that is surely not 0.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, NamedTuple

import typer

from memzoo.benchmarks.learnt import log_of
from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.measure.caching import REREAD, paid_tokens
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.statistics import difference, interval
from memzoo.benchmarks.research.inputs import LOCOMO, conversations, limits_of, refusals
from memzoo.benchmarks.research.known_states import Told, learn_by_rules
from memzoo.benchmarks.research.strong_model import TALKS, learn_states
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts.conversations import Question
from memzoo.errors import OptionError
from memzoo.memories import BaseMemory, ConversationEntityMemory, ConversationKGMemory
from memzoo.memories.search.words import find_telling_words
from memzoo.memories.strategies.entity_notes import EntityNote
from memzoo.memories.strategies.knowledge_graph import units_of_fact
from memzoo.memories.strategies.shown_notes import units_of_note

__all__ = ["VARIANTS", "Shown", "knowing", "measure_shown", "report"]

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "as shipped": {},
    "own words alone": {"around": 0.0, "profile": 0.0},
    "without the words of the name": {"profile": 0.0},
    "without the words around": {"around": 0.0},
    "without words in a row": {"rows": 0.0},
    "without what kind is asked for": {"kinds": 0.0},
    "advice like the rest": {"advice": 1.0},
}
"""Ways to search, by name, as weights that are others than in the memory: each part of the search left out once."""

_SHIPPED = next(iter(VARIANTS))
_RANDOM = "at random"
_CEILING = "with the answer at hand"
_SEED = 0
_STRATEGIES: Mapping[str, tuple[type[BaseMemory], Callable[[str, Any], Sequence[Any]]]] = {
    "knowledge-graph": (ConversationKGMemory, units_of_fact),
    "entity": (ConversationEntityMemory, lambda key, item: units_of_note(key, EntityNote.of(item))),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """What was shown for a question.

    Attributes:
        answered: The words of the answer were shown.
        tokens: How much was shown.
        paid: How much of it is paid after the question before, see `paid_tokens`.
    """

    answered: bool
    tokens: int
    paid: float


class _Cell(NamedTuple):
    """A way to search, at a budget."""

    variant: str
    budget: int


def measure_shown(
    talks: Sequence[Told], budgets: Sequence[int], counter: TextCounter, variants: Mapping[str, Mapping[str, Any]]
) -> dict[_Cell, list[Shown]]:
    """Ask all questions of all talks in each way at each budget; and see what is shown at random."""
    found: dict[_Cell, list[Shown]] = {}
    for talk in talks:
        questions = [one for one in talk.transcript.measured if answer_found(one.answer, []) is not None]
        for name, chosen in variants.items():
            memory = _open_weighed(talk, chosen, counter)
            for budget in budgets:
                memory.max_token_limit = budget
                cell = found.setdefault(_Cell(name, budget), [])
                cell += _look_at([_text(memory, one) for one in questions], questions, counter)
        for budget in budgets:
            chance = random.Random(_SEED)  # noqa: S311 - drawn again in each run
            cell = found.setdefault(_Cell(_RANDOM, budget), [])
            cell += _look_at([_draw_texts(talk, budget, counter, chance) for _ in questions], questions, counter)
            cell = found.setdefault(_Cell(_CEILING, budget), [])
            chosen_texts = [_choose_texts(talk, one.answer, budget, counter) for one in questions]
            cell += _look_at(chosen_texts, questions, counter)
    return found


def measure_known(talks: Sequence[Told]) -> float:
    """The share of questions whose answer's words are anywhere in what is known."""
    answered = [
        answer_found(question.answer, [_join_texts(talk)]) for talk in talks for question in talk.transcript.measured
    ]
    return fmean(one for one in answered if one is not None)


def report(title: str, talks: Sequence[Told], found: Mapping[_Cell, Sequence[Shown]]) -> str:
    """Shares with their intervals; and how much less, question by question, is shown without a part of the search."""
    budgets = list(dict.fromkeys(cell.budget for cell in found))
    rows: list[list[str]] = []
    for name in dict.fromkeys(cell.variant for cell in found):
        row = [name]
        for budget in budgets:
            shown, shipped = found[_Cell(name, budget)], found[_Cell(_SHIPPED, budget)]
            alone = name in (_SHIPPED, _RANDOM, _CEILING)
            row.append(_share(shown) if alone else f"{_share(shown)} ({_less(shown, shipped)})")
        most = found[_Cell(name, budgets[-1])]
        rows.append([*row, str(max(one.tokens for one in most)), f"{fmean(one.paid for one in most):,.0f}"])
    heads = ["found", *(f"@{budget:,}" for budget in budgets), "most tokens", "paid tokens"]
    count = len(found[_Cell(_SHIPPED, budgets[0])])
    note = f"of the last budget, a beginning that is as for the question before paid at {REREAD}"
    known = f"{measure_known(talks):.2f} of the answers known"
    return table(heads, rows, f"{title}: {count} questions, {known}; tokens {note}")


def knowing(
    locomo: Annotated[Path, typer.Option(help="LoCoMo's conversations.")] = LOCOMO,
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "150,300,1000",
    learnt: Annotated[Path | None, typer.Option(help="Folder with a model's replies instead.")] = None,
) -> None:
    """Measure how much of what notes and facts hold is shown for a question."""
    with refusals():
        limits, counter = limits_of(budgets), named_counter("o200k_base")
        if learnt is not None:
            _of_replies(learnt, locomo, limits, counter)
            return
        (talk, *_) = conversations(locomo)
        for strategy in _STRATEGIES:
            talks = [learn_by_rules(talk, strategy)]
            title = f"{strategy}, {talk.title}, offline rules"
            show(report(title, talks, measure_shown(talks, limits, counter, VARIANTS)), "")


def _of_replies(folder: Path, locomo: Path, limits: Sequence[int], counter: TextCounter) -> None:
    """Measure what memories of today learn by the replies in a folder."""
    about = {talk: read(locomo) for talk, read in TALKS.items() if list(folder.glob(f"{talk}*"))}
    if not about:
        raise OptionError(f"{folder} has no replies to prompts about {', '.join(TALKS)}: see strong-model")
    for talk, transcript in about.items():
        for strategy, taught in learn_states(transcript, folder, talk, _STRATEGIES).items():
            talks = [Told(transcript, strategy, log_of(transcript), taught.state.items)]
            title = f"{strategy}, {transcript.title}, a large model's replies"
            show(report(title, talks, measure_shown(talks, limits, counter, VARIANTS)), "")


def _open_weighed(talk: Told, chosen: Mapping[str, Any], counter: TextCounter) -> Any:
    kind, _ = _STRATEGIES[talk.strategy]
    weighed = type(kind.__name__, (kind,), {"_weights": replace(vars(kind)["_weights"], **chosen)})
    return talk.memory(weighed, token_counter=counter.of_message)


def _text(memory: BaseMemory, question: Question) -> str:
    loaded = memory.load_memory_variables({"input": question.text})
    if notes := loaded.get("entities"):
        return "\n".join(f"{name}: {note}" for name, note in notes.items())
    return "" if "entities" in loaded else str(loaded["history"])


def _look_at(texts: Sequence[str], questions: Sequence[Question], counter: TextCounter) -> list[Shown]:
    return [
        Shown(bool(answer_found(one.answer, [text])), counter(text), paid_tokens(before, text, counter))
        for one, before, text in zip(questions, ["", *texts], texts, strict=False)
    ]


def _draw_texts(talk: Told, budget: int, counter: TextCounter, chance: random.Random) -> str:
    """Statements drawn at random, as many as fit."""
    texts = _texts(talk)
    chance.shuffle(texts)
    return _first(texts, budget, counter)


def _choose_texts(talk: Told, answer: str, budget: int, counter: TextCounter) -> str:
    """Those that say an answer, then those that have most of its words, as many as fit."""
    wanted = {*find_telling_words(answer)}

    def worth(text: str) -> tuple[bool, int, int]:
        return not answer_found(answer, [text]), -len(wanted.intersection(find_telling_words(text))), len(text)

    return _first(sorted(_texts(talk), key=worth), budget, counter)


def _first(texts: Sequence[str], budget: int, counter: TextCounter) -> str:
    """The first texts that fit."""
    left, fitting = budget, list[str]()
    for text in texts:
        left -= counter(f"{text}\n")
        if left < 0:
            break
        fitting.append(text)
    return "\n".join(fitting)


def _join_texts(talk: Told) -> str:
    return "\n".join(_texts(talk))


def _texts(talk: Told) -> list[str]:
    _, units_of = _STRATEGIES[talk.strategy]
    return [unit.text for key, item in talk.items.items() if "of" not in item for unit in units_of(key, item)]


def _share(shown: Sequence[Shown]) -> str:
    found = interval([one.answered for one in shown])
    return f"{found.mean:.3f} [{found.low:.2f}, {found.high:.2f}]" if found else "-"


def _less(shown: Sequence[Shown], shipped: Sequence[Shown]) -> str:
    one, other = ({place: float(each.answered) for place, each in enumerate(some)} for some in (shown, shipped))
    apart = difference(one, other)
    return f"{apart.mean:+.3f}{'' if apart.low <= 0 <= apart.high else '!'}" if apart else "-"
