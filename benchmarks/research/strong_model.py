"""What memories learn of a talk with a model, and show of it: `python -m memzoo.benchmarks.research strong-model`.

The replies of a model are JSON, a file for each talk and memory (`FOLDER/zh/summary.json`, or
`FOLDER/zh-summary/pairs.json`): a list of `{"prompt": ..., "reply": ...}`. Each memory learns its talk anew by them, in
large steps as after an import, with the prompts of today. A prompt that nobody answered ends the command; `--in-order`
takes the next reply instead, and the table says so with the number of such prompts. A text `summary-ceiling.txt` beside
the replies is a summary that was written with the questions at hand: what a summary of that length could show.

What is shown is cut at the limit by the rule of comparisons.
Paid tokens: where what is shown begins as what was shown for the question before, that beginning costs a tenth.
"""

import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, NamedTuple

import typer

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.measure.caching import paid_tokens
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.evidence import score_question
from memzoo.benchmarks.measure.fitting import fit
from memzoo.benchmarks.measure.numerals import DATE, with_one_writing
from memzoo.benchmarks.outcomes import Scored, Sum, View
from memzoo.benchmarks.recorded_states import LearntState, LearntStep, Unasked, log_of
from memzoo.benchmarks.research.inputs import LOCOMO, conversations, limits_of, refusals
from memzoo.benchmarks.research.learning import OPTIONS, Replies, learn_talk
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import Question, Transcript, sample_transcripts
from memzoo.errors import OptionError
from memzoo.memories import BaseMemory, create_memory
from memzoo.memories.text.days import in_words
from memzoo.stores import InMemoryStore
from memzoo.strategy import text_of
from memzoo.sync import drive

__all__ = ["TALKS", "Taught", "learn_states", "strong_model"]

_ID, _BY, _SEARCH = "learnt", "the model", "vector-retriever"
_LOCOMO_TALK = "conv-26"
TALKS: Mapping[str, Callable[[Path], Transcript]] = {
    "bundled": lambda _: next(iter(sample_transcripts("en"))),
    "zh": lambda _: next(iter(sample_transcripts("zh"))),
    _LOCOMO_TALK: lambda file: next(one for one in conversations(file) if _LOCOMO_TALK in one.title),
}
"""The talks that were given to a large model, by name."""
_CEILING = "summary-ceiling.txt"
_HEADS = "with a model,known,shown,dates,others,corrections,stale,tokens,paid,calls,learning".split(",")


@dataclass(frozen=True)
class Taught:
    """What a memory learnt.

    Attributes:
        state: Its state.
        written: All that the model wrote on the way.
        others: How many of the prompts were others when they were answered.
    """

    state: LearntState
    written: Sequence[str]
    others: int


class _Asked(NamedTuple):
    """A question, what was shown for it, its size, and what is paid of it."""

    question: Question
    found: Scored
    tokens: int
    paid: float


def strong_model(
    replies: Annotated[Path, typer.Argument(help="The folder with the replies.")],
    *,
    talk: Annotated[str, typer.Option(help=f"One of {', '.join(TALKS)}.")] = "bundled",
    locomo: Annotated[Path, typer.Option(help="LoCoMo's conversations.")] = LOCOMO,
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "150,300,1000",
    max_prompt_tokens: Annotated[int, typer.Option(help="How large the steps of learning are.")] = 6000,
    in_order: Annotated[bool, typer.Option("--in-order", help="Take replies in order where prompts differ.")] = False,
) -> None:
    """Measure what memories know of a talk, and show, that they learnt by a model's replies."""
    with refusals():
        if talk not in TALKS:
            raise OptionError(f"--talk must be one of {', '.join(TALKS)}, not {talk!r}")
        transcript, limits = TALKS[talk](locomo), limits_of(budgets)
        learnt = learn_states(transcript, replies, talk, OPTIONS, max_prompt_tokens, in_order=in_order)
        if not learnt:
            raise OptionError(f"there is neither {replies / talk / 'entity.json'} nor another file of replies on it")
        show(_report(transcript, learnt, limits, _with_questions_at_hand(learnt, replies / talk / _CEILING)))


def learn_states(
    transcript: Transcript,
    replies: Path,
    talk: str,
    names: Iterable[str],
    max_prompt_tokens: int = 6000,
    *,
    in_order: bool = False,
) -> dict[str, Taught]:
    """Let memories learn a talk by the replies in a folder.

    Returns:
        What each learnt, by name of the memory; those to whose prompts there are no replies are left out.

    Raises:
        OptionError: A prompt was not answered.
    """
    return {
        name: _learn(transcript, name, file, max_prompt_tokens, in_order=in_order)
        for name in names
        if (file := _file(replies, talk, name))
    }


def _file(folder: Path, talk: str, name: str) -> Path | None:
    places = (folder / talk / f"{name}.json", folder / f"{talk}-{name}" / "pairs.json")
    return next((file for file in places if file.exists()), None)


def _learn(transcript: Transcript, name: str, file: Path, max_prompt_tokens: int, *, in_order: bool) -> Taught:
    given = json.loads(file.read_text(encoding="utf-8"))
    replies = Replies(given, in_order=in_order)
    state = learn_talk(transcript, name, replies, max_prompt_tokens)
    return Taught(state, [one["reply"] for one in given if not one.get("name", "").startswith("load")], replies.others)


def _with_questions_at_hand(learnt: Mapping[str, Taught], file: Path) -> Taught | None:
    """The summary, if it were as in a file."""
    if "summary" not in learnt or not file.exists():
        return None
    text = file.read_text(encoding="utf-8").strip()
    state = learnt["summary"].state
    step = LearntStep(watermark=state.steps[-1].watermark, changes={"summary": text}, spent=Sum())
    return Taught(state.model_copy(update={"steps": (step,)}), [text], 0)


def _report(transcript: Transcript, learnt: Mapping[str, Taught], limits: Sequence[int], ceiling: Taught | None) -> str:
    questions = [one for one in transcript.measured if answer_found(one.answer, []) is not None]
    rows = list[list[str]]()
    for name, one in learnt.items():
        known, cost = _share(questions, [_write_known(transcript, name, one)]), _cost(one)
        for limit in limits if name in ("entity", "knowledge-graph") else limits[-1:]:
            memory = _open_memory(transcript, name, one, limit)
            rows.append([f"{name} @{limit:,}", f"{known:.2f}", *_figures(memory, questions, limit), *cost])
    if ceiling:
        memory = _open_memory(transcript, "summary", ceiling, limits[-1])
        figures, known = _figures(memory, questions, limits[-1]), _share(questions, ceiling.written)
        rows.append(["summary, questions at hand", f"{known:.2f}", *figures, *_cost(ceiling)])
    for limit in limits:
        memory = _open_memory(transcript, _SEARCH, None, limit)
        rows.append([f"{_SEARCH} @{limit:,}", "-", *_figures(memory, questions, limit), "0", "0"])
    if graph := learnt.get("knowledge-graph"):
        for limit in limits:
            memory = _open_memory(transcript, "combined", graph, limit)
            rows.append([f"combined @{limit:,}", "-", *_figures(memory, questions, limit), *_cost(graph)])
    said = [(in_words(one.created_at.date()), text_of(one.message)) for one in log_of(transcript)]
    dated, plain = "\n".join(f"[{day}] {text}" for day, text in said), "\n".join(text for _, text in said)
    others = sum(one.others for one in learnt.values())
    note = f"; {others} prompts are others today" if others else ""
    title = (
        f"{transcript.title}: {len(questions)} questions; the whole talk has {_share(questions, [plain]):.2f} of the "
        f"answers, with its dates {_share(questions, [dated]):.2f}{note}"
    )
    return table(_HEADS, rows, title)


def _open_memory(transcript: Transcript, name: str, learnt: Taught | None, limit: int) -> BaseMemory:
    """Open a memory of what was learnt, for so many tokens."""
    store = InMemoryStore()
    drive(store.restore(_ID, log_of(transcript), learnt.state.to_stored() if learnt else {}))
    options: dict[str, Any] = dict(learnt.state.options) if learnt and name != "combined" else {}
    if name in ("entity", "knowledge-graph", _SEARCH):
        options["max_token_limit"] = limit
    if name == "entity":
        options["k"] = 0  # The notes alone, without the last exchanges.
    if name == "combined":
        own: Mapping[str, Any] = learnt.state.options if learnt else {}
        known = ("knowledge-graph", {"llm": Unasked(_BY), **own, "max_token_limit": limit})
        options = {"memories": [known, (_SEARCH, {"max_token_limit": limit})], "max_token_limit": limit}
    return create_memory(
        name,
        llm=Unasked(_BY),
        store=store,
        conversation_id=_ID,
        human_prefix=transcript.user,
        ai_prefix=transcript.assistant,
        token_counter=_counter().of_message,
        **options,
    )


def _figures(memory: BaseMemory, questions: Sequence[Question], limit: int) -> list[str]:
    """The share of answers shown: of all, of dates, of others; of corrections, and what of them is stale; tokens."""
    asked, before = list[_Asked](), ""
    for one in questions:
        # As in a comparison: a message that waits for its answer has what finds leave of the limit.
        messages = fit(memory.messages(one.text), limit, _counter())
        view: View = tuple((message["role"], text_of(message)) for message in messages)
        text = "\n".join(text for _, text in view)
        tokens = _counter().of_messages(messages)
        asked.append(_Asked(one, score_question(one, view), tokens, paid_tokens(before, text, _counter())))
        before = text
    dated = [one for one in asked if DATE.search(with_one_writing(one.question.answer))]
    corrections = [one.found.update for one in asked if one.found.update]
    return [
        _mean([bool(one.found.answer) for one in asked]),
        _mean([bool(one.found.answer) for one in dated]),
        _mean([bool(one.found.answer) for one in asked if one not in dated]),
        f"{sum(one in ('corrected', 'both') for one in corrections)} of {len(corrections)}",
        str(corrections.count("stale")),
        f"{fmean(one.tokens for one in asked):,.0f}",
        f"{fmean(one.paid for one in asked):,.0f}",
    ]


def _write_known(transcript: Transcript, name: str, learnt: Taught) -> str:
    """All that a memory knows; of a summary, all that it said on the way."""
    if name not in ("entity", "knowledge-graph"):
        return "\n".join(learnt.written)
    store = InMemoryStore()
    drive(store.restore(_ID, log_of(transcript), learnt.state.to_stored()))
    memory = create_memory(name, llm=Unasked(_BY), store=store, conversation_id=_ID)
    known: Any = memory
    if name == "entity":
        return "\n".join(f"{subject}: {note}" for subject, note in known.entities.items())
    memory.load_memory_variables({"input": "?"})  # the graph follows what is stored
    return "\n".join(map(str, known.kg.facts()))


def _cost(learnt: Taught) -> list[str]:
    spent = learnt.state.spent
    return [str(spent.calls), f"{spent.prompt_tokens + spent.completion_tokens:,}"]


def _share(questions: Sequence[Question], shown: Sequence[str]) -> float:
    return fmean(bool(answer_found(one.answer, shown)) for one in questions)


def _mean(found: Sequence[bool]) -> str:
    return f"{fmean(found):.2f} ({len(found)})" if found else "-"


@functools.cache
def _counter() -> TextCounter:
    return named_counter("o200k_base")
