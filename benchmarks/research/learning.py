"""What a model learns of a bundled conversation, from its replies: `python -m memzoo.benchmarks.research learn`.

Replies are JSON, a file for each memory (`summary.json`): a list of `{"prompt": ..., "reply": ...}` in the order in
which they were given; those to loads (`"name": "load-..."`) are passed over. Each memory reads them as it reads any
model's: it learns the whole conversation in few large steps, as after an import, and each prompt is looked up. A prompt
that nobody answered ends the command; `--in-order` takes the next reply, for those to prompts of earlier versions.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from memzoo.benchmarks.learnt import Learnt, LearntState, LearntStep, fingerprint, log_of
from memzoo.benchmarks.measure.counting import named_counter
from memzoo.benchmarks.outcomes import Sum
from memzoo.benchmarks.research.inputs import refusals
from memzoo.benchmarks.transcripts import Transcript, sample_transcripts
from memzoo.benchmarks.variants import BUDGET, Variant
from memzoo.errors import OptionError
from memzoo.memories import create_memory
from memzoo.stores import JSON, InMemoryStore, Message
from memzoo.sync import drive

__all__ = ["Replies", "learn", "learn_talk"]

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "summary": {"max_summary_tokens": 900},
    "summary-buffer": {"max_token_limit": 200, "max_summary_tokens": 800},
    "entity": {"k": 3, "max_token_limit": BUDGET},
    "knowledge-graph": {"k": 2, "mine_ai": True, "max_token_limit": BUDGET},
}
"""The memories that learn with a model, and their options; what the others learn is meant for 1,000 tokens."""

_ID = "learnt"
_ENCODING = "o200k_base"
_TOKENS = 1_000
_NUMBERED = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)


class Replies:
    """Answers prompts from replies that were given before; used as a memory's model.

    Attributes:
        others: How many prompts were not among those that were answered then.
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
    """Return a reply to another prompt with the numbers that the statements in it have now; 0 for one not shown."""
    told, numbers = dict(_NUMBERED.findall(asked)), {text: number for number, text in _NUMBERED.findall(now)}
    return _NUMBERED.sub(lambda line: f"[{numbers.get(told.get(line[1], ''), 0)}] {line[2]}", reply)


def learn(
    folder: Annotated[Path, typer.Argument(help="The folder with the replies, a JSON file for each memory.")],
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    *,
    by: Annotated[str, typer.Option(help="Who answered, in words.")] = "a large instruction-following model",
    sample: Annotated[str, typer.Option(help="The bundled conversation: en or zh.")] = "en",
    max_prompt_tokens: Annotated[int, typer.Option(help="How large the steps of learning are.")] = 6000,
    in_order: Annotated[bool, typer.Option("--in-order", help="Take replies in order where prompts differ.")] = False,
) -> None:
    """Write down what memories learn of a bundled conversation from a model's replies."""
    (talk,) = sample_transcripts(sample)
    memories: dict[str, LearntState] = {}
    with refusals():
        for name in OPTIONS:
            file = folder / f"{name}.json"
            if not file.exists():
                typer.echo(f"{name}: there is no {file}; left out")
                continue
            replies = Replies(json.loads(file.read_text(encoding="utf-8")), in_order=in_order)
            memories[name] = found = learn_talk(talk, name, replies, max_prompt_tokens)
            note = f"; {replies.others} of the prompts are others today" if replies.others else ""
            typer.echo(f"{name}: {found.spent.calls} calls, {len(found.items)} items{note}")
    learnt = Learnt(talk=fingerprint(talk), by=by, memories=memories)
    text = json.dumps(learnt.model_dump(mode="json"), ensure_ascii=False)
    out.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    typer.echo(f"wrote {out}")


def learn_talk(talk: Transcript, name: str, replies: Replies, max_prompt_tokens: int) -> LearntState:
    """Let a memory learn a conversation as it was said, all at once.

    Raises:
        OptionError: It asked what nobody answered.
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
    return LearntState(options=dict(OPTIONS[name]), name=memory.state_name, steps=tuple(store.steps))


class _Watched(InMemoryStore):
    """A store that notes each step of learning.

    Attributes:
        steps: Those that were committed.
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
