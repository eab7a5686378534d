"""Lets memories learn from a large model's replies: `python -m memzoo.benchmarks.research learn` and `strong-model`.

The replies are JSON files, one for each memory (`summary.json`): a list of `{"prompt": ..., "reply": ...}` in the order
of the calls. Each memory learns a bundled conversation in a few large steps, and its prompts get the recorded replies.
A prompt without a recorded reply ends the command. With `--in-order`, such a prompt gets the next reply in the file.

`learn` writes the learnt states to a file; the package contains such files. `strong-model` measures the views of
memories with these states.
"""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.measure.counting import TextCounter, named_counter
from memzoo.benchmarks.measure.evidence import score_question
from memzoo.benchmarks.measure.fitting import fit
from memzoo.benchmarks.outcomes import Sum
from memzoo.benchmarks.recorded_states import Learnt, LearntState, LearntStep, Unasked, fingerprint, log_of
from memzoo.benchmarks.research.inputs import limits_of, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import Question, Transcript, sample_transcripts
from memzoo.benchmarks.variants import BUDGET, Variant
from memzoo.errors import OptionError
from memzoo.memories import BaseMemory, create_memory
from memzoo.stores import JSON, InMemoryStore, Message
from memzoo.strategy import text_of
from memzoo.sync import drive

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "summary": {"max_state_tokens": 900},
    "summary-buffer": {"max_token_limit": 200, "max_state_tokens": 800},
    "entity": {"k": 3, "max_token_limit": BUDGET},
    "knowledge-graph": {"k": 2, "mine_ai": True, "max_token_limit": BUDGET},
}
"""The options of the memories that learn with a model, by name."""

_ID, _BY, _SEARCH = "learnt", "the model", "vector-retriever"
_ENCODING = "o200k_base"
_NUMBERED = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
_TOKENS = 1_000

_Folder = Annotated[Path, typer.Argument(help="The folder with the replies, a JSON file for each memory.")]
_Steps = Annotated[int, typer.Option("--max-prompt-tokens", help="How large the steps of learning are.")]
_InOrder = Annotated[bool, typer.Option("--in-order", help="Take replies in order where prompts differ.")]


class Replies:
    """A model that answers prompts with recorded replies.

    Attributes:
        others: The number of prompts that differ from the recorded prompts.
    """

    def __init__(self, given: Sequence[Mapping[str, str]], *, in_order: bool = False) -> None:
        self._given = [one for one in given if not one.get("name", "").startswith("load")]
        self._known = {one["prompt"]: one["reply"] for one in self._given}
        self._in_order = in_order
        self._count = named_counter(_ENCODING)
        self.others = 0
        self.spent = Sum()

    def __call__(self, messages: Sequence[Message]) -> str:
        """Return the reply to a prompt."""
        (message,) = messages
        prompt = str(message["content"])
        reply = self._known.get(prompt)
        if reply is None:
            if not self._in_order or self.spent.calls >= len(self._given):
                raise OptionError(f"nobody answered prompt {self.spent.calls + 1}, which begins: {prompt[:300]}")
            self.others += 1
            given = self._given[self.spent.calls]
            reply = _renumber(given["reply"], given["prompt"], prompt)
        self.spent += Sum(calls=1, prompt_tokens=self._count(prompt), completion_tokens=self._count(reply))
        return reply


def _renumber(reply: str, asked: str, now: str) -> str:
    """Return a reply with the old prompt's statement numbers replaced by the new prompt's; 0 if a statement is gone."""
    told, numbers = dict(_known_in(asked)), {text: number for number, text in _known_in(now)}
    return _NUMBERED.sub(lambda line: f"[{numbers.get(told.get(line[1], ''), 0)}] {line[2]}", reply)


def _known_in(prompt: str) -> list[tuple[str, str]]:
    """Return (number, text) of each statement in the part <known> of a prompt."""
    return _NUMBERED.findall(prompt.partition("\n<known>\n")[2].partition("\n</known>")[0])


def learn(
    folder: _Folder,
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    *,
    by: Annotated[str, typer.Option(help="Who answered, in words.")] = "a large instruction-following model",
    sample: Annotated[str, typer.Option(help="The bundled conversation: en or zh.")] = "en",
    max_prompt_tokens: _Steps = 6000,
    in_order: _InOrder = False,
) -> None:
    """Let memories learn a bundled conversation from a model's recorded replies, and write their states to a file."""
    (talk,) = sample_transcripts(sample)
    with refusals():
        memories = _learn_all(talk, folder, max_prompt_tokens, in_order=in_order)
    learnt = Learnt(talk=fingerprint(talk), by=by, memories=memories)
    text = json.dumps(learnt.model_dump(mode="json"), ensure_ascii=False)
    out.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    typer.echo(f"wrote {out}")


def strong_model(
    folder: _Folder,
    *,
    sample: Annotated[str, typer.Option(help="The bundled conversation: en or zh.")] = "en",
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "150,300,1000",
    max_prompt_tokens: _Steps = 6000,
    in_order: _InOrder = False,
) -> None:
    """Measure the views of memories whose states a large model has written."""
    (talk,) = sample_transcripts(sample)
    with refusals():
        limits = limits_of(budgets)
        learnt = _learn_all(talk, folder, max_prompt_tokens, in_order=in_order)
    questions = [one for one in talk.measured if answer_found(one.answer, []) is not None]
    rows = list[list[str]]()
    for name, state in [*learnt.items(), (_SEARCH, None)]:
        spent = state.spent if state else Sum()
        cost = [f"{spent.calls}", f"{spent.prompt_tokens + spent.completion_tokens:,}"]
        for limit in limits[-1:] if name.startswith("summary") else limits:
            shown = _figures(_open_memory(talk, name, state, limit), questions, limit)
            rows.append([f"{name} @{limit:,}", *shown, *cost])
    heads = ["with a model", "answers shown", "corrections", "stale", "tokens", "calls", "tokens to learn"]
    show(table(heads, rows, f"{talk.title}: {len(questions)} questions"))


def _learn_all(talk: Transcript, folder: Path, max_prompt_tokens: int, *, in_order: bool) -> dict[str, LearntState]:
    """Return the states of all memories for which a folder has replies, after learning a conversation."""
    found: dict[str, LearntState] = {}
    for name in OPTIONS:
        file = folder / f"{name}.json"
        if not file.exists():
            typer.echo(f"{name}: there is no {file}; left out")
            continue
        replies = Replies(json.loads(file.read_text(encoding="utf-8")), in_order=in_order)
        found[name] = state = learn_talk(talk, name, replies, max_prompt_tokens)
        note = f"; {replies.others} of the prompts are others today" if replies.others else ""
        typer.echo(f"{name}: {state.spent.calls} calls, {len(state.items)} items{note}")
    return found


def learn_talk(talk: Transcript, name: str, replies: Replies, max_prompt_tokens: int) -> LearntState:
    """Return the state of a memory that has learnt a whole conversation from recorded replies.

    Raises:
        OptionError: There is no reply to a prompt.
        ModelReplyError: A reply cannot be used.
    """
    store = _Watched(replies)
    drive(store.restore(_ID, log_of(talk), {}))
    memory = create_memory(
        name,
        llm=replies,
        store=store,
        conversation_id=_ID,
        human_prefix=talk.user,
        ai_prefix=talk.assistant,
        token_counter=_ENCODING,
        max_prompt_tokens=max_prompt_tokens,
        **Variant(name, options=OPTIONS[name]).options_at(_TOKENS),
    )
    memory.settle()
    return LearntState(options=dict(OPTIONS[name]), name=memory.learners[0].name, steps=tuple(store.steps))


class _Watched(InMemoryStore):
    """A store that records each update of the state.

    Attributes:
        steps: The committed updates, in order.
    """

    def __init__(self, replies: Replies) -> None:
        super().__init__()
        self._replies = replies
        self.steps: list[LearntStep] = []

    async def commit(
        self, conversation_id: str, strategy: str, *, watermark: int, changes: Mapping[str, JSON], **more: Any
    ) -> int:
        version = await super().commit(conversation_id, strategy, watermark=watermark, changes=changes, **more)
        spent = self._replies.spent - sum((step.spent for step in self.steps), Sum())
        self.steps.append(LearntStep(watermark=watermark, changes=dict(changes), spent=spent))
        return version


def _open_memory(talk: Transcript, name: str, learnt: LearntState | None, limit: int) -> BaseMemory:
    store = InMemoryStore()
    drive(store.restore(_ID, log_of(talk), learnt.to_stored() if learnt else {}))
    options: dict[str, Any] = dict(learnt.options) if learnt else {}
    if not name.startswith("summary"):
        options["max_token_limit"] = limit
    if name == "entity":
        options["k"] = 0  # Only the notes, without the last exchanges.
    return create_memory(
        name,
        llm=Unasked(_BY),
        store=store,
        conversation_id=_ID,
        human_prefix=talk.user,
        ai_prefix=talk.assistant,
        token_counter=_counter().of_message,
        **options,
    )


def _figures(memory: BaseMemory, questions: Sequence[Question], limit: int) -> list[str]:
    """Return the cells of a row: the share of answers shown, corrections, stale statements, and mean tokens."""
    # Cut as in a comparison: found texts come first, and messages get the rest of the limit.
    views = [fit(memory.messages(one.text), limit, _counter()) for one in questions]
    asked = [
        score_question(question, tuple((message["role"], text_of(message)) for message in view))
        for question, view in zip(questions, views, strict=True)
    ]
    corrections = [one.update for one in asked if one.update]
    return [
        f"{fmean(bool(one.answer) for one in asked):.2f}",
        f"{sum(one in ('corrected', 'both') for one in corrections)} of {len(corrections)}",
        str(corrections.count("stale")),
        f"{fmean(map(_counter().of_messages, views)):,.0f}",
    ]


@functools.cache
def _counter() -> TextCounter:
    return named_counter(_ENCODING)
