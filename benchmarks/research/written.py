"""Measures memories with a model whose replies are files: `python -m memzoo.benchmarks.research written`.

This is for a model without an endpoint. In each job, one memory learns one conversation. The job writes its first
prompt to `FOLDER/JOB/0001.prompt`, and waits until you have put the reply into `0001.reply`. All jobs wait at the same
time.

Replies that exist are used at once, so you can continue a stopped run. Once all replies exist, a run measures without
waiting. A contender (a memory of another library) gives up after five minutes without a reply; then start the run
again.

`--pack` writes the replies of each job into one file, `JOB.json`. Each reply has a digest of its prompt. FOLDER may
also be a folder of such files. If a file has too few replies, the run ends with an error; if the folder `FOLDER/JOB`
exists, the job writes further prompts to it instead.

The table counts the answers that occur in the replies ("noted"), in the memory at the end ("known") and in its views
("shown"). It also counts the prompts that have changed since they were answered.

At the end, `--relearn` makes the memory learn the conversation anew. `--change` opens the conversation with another
strategy, and then with the job's own strategy again. Each time, the marked lines (see `Mark`) that views still show are
counted.

Questions are asked at the end, when everything has been learnt. With `--underway`, questions are also asked during the
second half of the conversation. A question is asked after each exchange once its evidence has been said. At that time,
some messages are not learnt yet, and take up room in the view.
"""

import hashlib
import itertools
import json
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.measure.counting import named_counter
from memzoo.benchmarks.measure.fitting import fit
from memzoo.benchmarks.measure.measuring import measure
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.measure.surviving import Followed
from memzoo.benchmarks.outcomes import Outcome, Sum
from memzoo.benchmarks.research.inputs import limits_of, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import Question, Transcript, load_transcripts
from memzoo.benchmarks.transcripts.reading import sample_path
from memzoo.benchmarks.variants import Variant, contender_variants
from memzoo.errors import OptionError
from memzoo.memories import BaseMemory, ConversationEntityMemory, ConversationKGMemory, create_memory
from memzoo.stores import Message
from memzoo.sync import drive

_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "summary": {"max_state_tokens": 900},
    "summary-buffer": {"max_token_limit": 1000, "max_state_tokens": 800},
    "entity": {},
    "knowledge-graph": {},
}
_NO_FILE_NAME = re.compile("[/:=]")
_ENCODING = "o200k_base"
_UNDERWAY = "underway"


class Written:
    """A model that writes each prompt to a file, and waits for a file with the reply.

    A file of packed replies (`--pack`) is used first.

    Attributes:
        given: The replies so far, each with the digest of its prompt.
        changed: The number of prompts that differ from those of the packed replies.
    """

    def __init__(self, folder: Path) -> None:
        packed = folder.with_suffix(".json")
        self._folder, self._count = folder, named_counter(_ENCODING)
        self._packed = json.loads(packed.read_text(encoding="utf-8")) if packed.exists() else None
        self.given: list[dict[str, str]] = []
        self.changed = 0
        self.spent = Sum()

    def __call__(self, messages: Sequence[Message]) -> str:
        """Return the reply to a prompt; wait until its file exists.

        Raises:
            OptionError: There is no packed reply to this prompt, or the prompt's file has another text.
        """
        (message,) = messages
        text = str(message["content"])
        digest, number = hashlib.sha256(text.encode()).hexdigest()[:16], len(self.given)
        if self._packed and number < len(self._packed):
            answer = str(self._packed[number]["reply"])
            self.changed += self._packed[number]["prompt"] != digest
        elif self._packed is None or self._folder.exists():
            answer = self._wait(number + 1, text)
        else:
            raise OptionError(f"{self._folder.name}.json has no reply to prompt {number + 1}; have it written")
        self.given.append({"prompt": digest, "reply": answer})
        self.spent += Sum(calls=1, prompt_tokens=self._count(text), completion_tokens=self._count(answer))
        return answer

    def _wait(self, number: int, text: str) -> str:
        self._folder.mkdir(parents=True, exist_ok=True)
        prompt = self._folder / f"{number:04}.prompt"
        if prompt.exists() and prompt.read_text(encoding="utf-8") != text:
            raise OptionError(f"{prompt} is another prompt than today's: use another folder")
        draft = prompt.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(prompt)
        reply = prompt.with_suffix(".reply")
        while not reply.exists():
            time.sleep(1)
        return reply.read_text(encoding="utf-8").strip()


class _Job(NamedTuple):
    talk: Transcript
    number: int
    memory: str
    learn_every: int
    budget: int
    folder: Path
    learn: str
    relearn: int
    change: bool

    def __str__(self) -> str:
        size = self.budget if "/" in self.memory else self.learn_every if self.learn == "now" else self.learn
        return f"{self.number:02}-{_NO_FILE_NAME.sub('-', self.memory)}-{size}"

    def run(self) -> tuple[Outcome, Written, list[str], list[str]]:
        """Return the measurements and the model; of memzoo's memories also the knowledge at the end, and changes."""
        model, made = Written(self.folder / str(self)), list[dict[str, Any]]()

        def make(**common: Any) -> BaseMemory:
            names = {"human_prefix": self.talk.user, "ai_prefix": self.talk.assistant}
            made.append({"llm": model, "learn_every": self.learn_every, "learn": self.learn, **names, **common})
            return self._open(self.memory, made[-1])

        # With `survival`, the rest of a portion is learnt before the questions.
        counter = named_counter(_ENCODING)
        settings = Settings(model=model, survival=True, budgets=[self.budget], counter=counter, relearn=self.relearn)
        is_own = "/" not in self.memory
        variant = Variant(self.memory, factory=make) if is_own else contender_variants(self.memory)[0]
        outcome, _ = measure(self.talk, self.number, variant, settings)
        if not is_own:
            return outcome, model, [], []
        changed, names = list[str](), [*_OPTIONS]
        others = [names[names.index(self.memory) + 1 - len(names)], self.memory] if self.change else []
        for name in others:
            memory, followed = self._open(name, made[0]), Followed()
            memory.settle()
            for mark in (mark for exchange in self.talk.exchanges for mark in exchange.marks):
                followed.ask(mark, None, fit(memory.messages(mark.asked), self.budget, counter))
            kept = followed.list_survived()
            changed.append(f"{name} {sum(one.shown for one in kept)} of {sum(one.of for one in kept)}")
        return outcome, model, _list_known(self._open(self.memory, made[0])), changed

    def _open(self, name: str, given: Mapping[str, Any]) -> BaseMemory:
        return create_memory(name, **{**given, **_OPTIONS[name]})


def _list_known(memory: BaseMemory) -> list[str]:
    memory.settle()
    match memory:
        case ConversationEntityMemory():
            return [f"{name}: {note}" for name, note in memory.entities.items()]
        case ConversationKGMemory():
            return [str(fact) for fact in memory.kg.facts()]
        case _:
            return [str(drive(memory.learners[0].refresh()).items.get("summary", ""))]


def written(
    folder: Annotated[Path, typer.Argument(help="The folder with a folder for each job.")],
    *,
    talks: Annotated[str, typer.Option(help="Bundled conversations (en, zh, survival), or a file.")] = "en",
    numbers: Annotated[str, typer.Option(help="The numbers of the conversations, with commas between them.")] = "1",
    memory: Annotated[str, typer.Option(help="The memories and contenders, with commas between.")] = ",".join(_OPTIONS),
    sizes: Annotated[str, typer.Option(help="The values of learn_every.")] = "8",
    budget: Annotated[int, typer.Option(help="The tokens that a view may have.")] = 1000,
    learn: Annotated[str, typer.Option(help="When to learn: now, or later, in steps as large as prompts.")] = "now",
    relearn: Annotated[int, typer.Option(help="How often to learn all anew at the end.")] = 0,
    change: Annotated[bool, typer.Option(help="Change to another memory at the end, and back.")] = False,
    underway: Annotated[bool, typer.Option(help="Ask also after each exchange of the second half.")] = False,
    pack: Annotated[Path | None, typer.Option(help="The folder for the replies, a file for each job.")] = None,
) -> None:
    """Measure memories that learn from replies in files, which a person or a program writes."""
    with refusals():
        found = load_transcripts(sample_path(talks) if talks in ("en", "zh", "survival") else Path(talks))
        chosen = [(number, found[number - 1]) for number in limits_of(numbers)]
        if underway:
            chosen = [(number, _ask_underway(talk)) for number, talk in chosen]
        jobs = [
            _Job(talk, number, name, size, budget, folder, learn, relearn, change)
            for size, name, (number, talk) in itertools.product(limits_of(sizes), memory.split(","), chosen)
        ]
        with ThreadPoolExecutor(len(jobs)) as threads:
            done = [*threads.map(_Job.run, jobs)]
    for job, (_, model, *_) in zip(jobs, done, strict=True):
        if pack:
            pack.mkdir(parents=True, exist_ok=True)
            lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in model.given)
            (pack / f"{job}.json").write_text(f"[{lines}]\n", encoding="utf-8", newline="\n")
    rows = [_row(job, *one) for job, one in zip(jobs, done, strict=True)]
    heads = "job, noted, known, shown, corrections, survived, but, must not, calls, changed, own tokens, reading"
    columns = (("learnt anew", relearn), ("other, and back", change), (_UNDERWAY, underway))
    more = [name for name, is_asked in columns if is_asked]
    show(table([*heads.split(", "), *more], rows))


def _ask_underway(talk: Transcript) -> Transcript:
    """Return a conversation whose questions are also asked after each exchange of the second half."""
    said = [{text for texts in exchange.evidence for text in texts.values()} for exchange in talk.exchanges]
    more = list[Question]()
    for one in talk.measured:
        known = [number for number, texts in enumerate(said, start=1) if texts.intersection(one.evidence)]
        numbers = range(max([len(said) // 2, *known]), len(said) if known else 0)
        more += [replace(one, category=_UNDERWAY, asked_after=number) for number in numbers]
    if not more:
        raise OptionError(f"--underway needs questions with their evidence, and {talk.title!r} has none")
    return replace(talk, questions=(*talk.questions, *more))


def _row(job: _Job, outcome: Outcome, model: Written, known: Sequence[str], changed: Sequence[str]) -> list[str]:
    at, exchanges = outcome.budgets[job.budget], len(job.talk.exchanges)
    scores = [*zip(job.talk.measured, at.answers, strict=True)]
    answers = [score for one, score in scores if one.category != _UNDERWAY]
    asked = [one.answer for one in answers if one.answer is not None]
    before = [score.answer for one, score in scores if one.category == _UNDERWAY and score.answer is not None]
    questions = [one for one, _ in scores if one.category != _UNDERWAY]
    noted, told = (
        [found for one in questions if (found := answer_found(one.answer, texts)) is not None]
        for texts in ([one["reply"] for one in model.given], known)
    )
    updates = [one.update for one in answers if one.update]
    kept = [one for one in at.survived if one.after is None]
    anew = f"{sum(one.shown for one in at.relearnt)} of {sum(one.of for one in at.relearnt)}"
    return [
        str(job) if not outcome.failure else f"{job}: {outcome.failure}",
        f"{sum(noted)}",
        f"{sum(told)} of {len(told)}" if known else "",
        f"{sum(asked)} of {len(asked)}",
        f"{sum(one in ('corrected', 'both') for one in updates)} of {len(updates)}",
        f"{sum(one.shown for one in kept)} of {sum(one.of for one in kept)}",
        ", ".join(f"{one.kind} {one}" for one in kept if one.shown < one.of),
        "; ".join(at.stated),
        str(model.spent.calls),
        str(model.changed),
        f"{model.spent.tokens / exchanges:,.0f}",
        f"{at.tokens / max(at.loads, 1):,.0f}",
        *([anew] if job.relearn else []),
        *([", ".join(changed)] if job.change else []),
        *([f"{sum(before) / len(before):.2f} of {len(before):,}"] if before else []),
    ]
