"""Compares the token estimate with the tokenizers of models: `python -m tools.tokenizers`, or `make tokens`."""

import itertools
import random
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from memzoo import Conversation, create_memory
from memzoo.memories.models.chat import Completion
from memzoo.memories.models.usage import Spent
from memzoo.memories.text.estimating import Estimate, Tokenizer, split_text, tokenizer_of
from memzoo.memories.text.messages import text_of
from memzoo.stores import Message
from tools.tokenizers.environment import Counter, counters
from tools.tokenizers.texts import KINDS, make_texts

_COSTS = ("words", "long", "sign", "kana", "hangul", "number", "digit", "mark", "blank")
_LIMIT = 1000
_CLOSE = 0.03
# The strategies with a limit, and the pieces that the limit bounds: the recalled ones, the others, or all.
_STRATEGIES: Mapping[str, bool | None] = {
    "token-window": None,
    "combined": None,
    "summary-buffer": False,
    "vector-retriever": True,
    "entity": True,
    "knowledge-graph": True,
}
# An estimate without frames and families.
_PLAIN = Tokenizer("", "", 1.0, 1.0, 0.7, 0.7, 0.7, 1.25, 0.0, 0.7, 1.0, 0.0)

app = typer.Typer(help=__doc__)
Environment = Annotated[Path | None, typer.Option(help="A folder for the tokenizers; by default a temporary one.")]
Data = Annotated[Path | None, typer.Option(help="A folder with LoCoMo and MemoryBank, for more texts.")]


@app.command()
def fit(environment: Environment = None, data: Data = None) -> None:
    """Fit each family's token costs to the first set of texts, and print them as rows of the estimate's table."""
    with _prepared(environment) as (folder, known):
        texts = make_texts(0, folder, data)
        for family, counter in known.items():
            row = _fit(counter, texts, tokenizer_of(counter.model))
            typer.echo(f"{family} {dict(zip(_COSTS, (round(cost, 2) for cost in row), strict=True))}")


def _fit(counter: Counter, texts: Mapping[str, Sequence[str]], known: Tokenizer) -> Sequence[float]:
    """Return the token costs with the least squared errors over chunks of 200 tokens, in the order of the table.

    Each kind of text has the same weight, short turns less. The costs are raised by 2 %, because it is better to stay a
    little below a limit than to exceed it.
    """
    free = Tokenizer("", "", *[0.0] * 10)
    costs: list[dict[str, Any]] = [{one: 1.0} for one in _COSTS]
    units = [replace(free, **cost) for cost in costs]
    rows, aims = list[Any](), list[float]()
    for kind, said in texts.items():
        chunks = list[tuple[Any, float]]()
        amounts: Any = np.zeros(len(_COSTS))
        tokens, rest = 0, 0.0
        for text in said:
            parts = split_text(text)
            fixed = sum(sum(free.measure(part)) for part in parts)
            amounts = amounts + [sum(sum(unit.measure(part)) for part in parts) - fixed for unit in units]
            rest += fixed
            tokens += counter.count(text)
            if tokens >= 200:
                chunks.append((amounts / tokens, 1 - rest / tokens))
                amounts, tokens, rest = np.zeros(len(_COSTS)), 0, 0.0
        weight = (0.3 if kind == "short turns" else 1) / np.sqrt(max(len(chunks), 1))
        rows += [row * weight for row, _ in chunks]
        aims += [aim * weight for _, aim in chunks]
    # The present costs hold costs that the texts leave open.
    held = np.array([getattr(known, name) for name in _COSTS])
    firm = 0.1 * np.diag(1 / np.maximum(held, 0.1))
    return [
        1.02 * float(cost) for cost in np.linalg.lstsq(np.vstack([*rows, firm]), [*aims, *firm @ held], rcond=None)[0]
    ]


@app.command()
def check(environment: Environment = None, data: Data = None) -> None:
    """Print the estimate's signed errors in percent on the second set of texts: by the table, and while it learns."""
    with _prepared(environment) as (folder, known):
        texts = make_texts(1, folder, data)
        _print_table("| by the table, without -> with | " + " | ".join(known) + " |", _table_errors(known, texts))
        rows = (
            (kind, [_percent(max(_talk(one, [texts[kind]] * 10)[5:], key=abs)) for one in known.values()])
            for kind in KINDS
        )
        _print_table("| after five answers of the kind, the worst of the next five | " + " | ".join(known) + " |", rows)
        shuffled = [random.Random(seed).sample(said, len(said)) for said in texts.values() for seed in range(3)]  # noqa: S311 - no secret
        worst = [max(_talk(one, [said] * 10)[5:], key=abs) for one in known.values() for said in shuffled]
        within = sum(abs(error) <= _CLOSE for error in worst)
        typer.echo(
            f"\nthe texts in three other orders: {within} of {len(worst)} within 3 %, the others up to "
            f"{_percent(max(worst, key=abs))}"
        )
        for family, one in known.items():
            pairs = itertools.permutations(KINDS[:-1], 2)
            errors = [_talk(one, [texts[first]] * 5 + [texts[then]])[5] for first, then in pairs]
            typer.echo(f"a new kind after five answers, {family}: {_percent(min(errors))} to {_percent(max(errors))}")


def _table_errors(known: Mapping[str, Counter], texts: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, list[str]]]:
    for kind, said in texts.items():
        messages = list(_messages(said))[:160]
        cells: list[str] = []
        for one in known.values():
            counted = one.count_request(messages)
            both = (_guess(tokenizer, messages) / counted - 1 for tokenizer in (_PLAIN, tokenizer_of(one.model)))
            cells.append(" -> ".join(map(_percent, both)))
        yield kind, cells


def _guess(tokenizer: Tokenizer, messages: Sequence[Message]) -> float:
    parts = itertools.chain.from_iterable(split_text(text_of(one)) for one in messages)
    return sum(sum(tokenizer.measure(part)) for part in parts) + tokenizer.frame * len(messages)


def _talk(counter: Counter, kinds: Sequence[Sequence[str]]) -> list[float]:
    """Return the estimate's error for each request of a talk; each adds four messages from the next of `kinds`."""
    estimate, request = Estimate(counter.model), list[Message]()
    texts = {id(said): itertools.cycle(_messages(said)) for said in kinds}
    errors: list[float] = []
    for said in kinds:
        request += itertools.islice(texts[id(said)], 4)
        counted = counter.count_request(request)
        errors.append((sum(map(estimate.count_message, request)) + estimate.factors.base) / counted - 1)
        estimate.learn(request, (), counted)
    return errors


@app.command()
def limits(environment: Environment = None, data: Data = None) -> None:
    """Print the true number of tokens that memories send within a limit of 1,000, by strategy and kind of text."""
    with _prepared(environment) as (folder, known):
        texts = make_texts(1, folder, data)
        for strategy in _STRATEGIES:
            rows = ((kind, [str(_sent(strategy, one, texts[kind])) for one in known.values()]) for kind in KINDS)
            _print_table(f"| {strategy} | " + " | ".join(known) + " |", rows)
        rows = (
            (kind, [" -> ".join(map(str, _conversation(one, texts[kind]))) for one in known.values()]) for kind in KINDS
        )
        _print_table("| Conversation, first request -> most after five answers | " + " | ".join(known) + " |", rows)


def _sent(strategy: str, counter: Counter, said: Sequence[str]) -> int:
    """Return the true number of tokens in the messages to which a strategy's limit applies.

    The question consists of the texts themselves, so that a search finds much.
    """
    limit: dict[str, Any] = {"max_token_limit": _LIMIT}
    memory = create_memory(
        strategy, llm="offline", token_counter=f"approximate {tokenizer_of(counter.model).name}".strip(), **limit
    )
    memory.add_messages([*_messages(said)])
    shown, bounded = memory.messages("\n".join(said)[:20_000]), _STRATEGIES[strategy]
    pieces = zip(shown, shown.recalled, strict=True)
    return sum(counter.count_message(one) for one, recalled in pieces if bounded in (None, recalled))


class _Model:
    """A model that reports the tokens of each request, counted with a tokenizer, as an endpoint would."""

    def __init__(self, counter: Counter) -> None:
        self.name = counter.model or "own"
        self._counter = counter
        self.sent: list[int] = []

    async def complete(self, messages: Sequence[Message], purpose: str) -> Completion:
        self.sent.append(self._counter.count_request(messages))
        return Completion("Fine.", Spent(1, self.sent[-1], 2))


def _conversation(counter: Counter, said: Sequence[str]) -> tuple[int, int]:
    model = _Model(counter)
    conversation = Conversation(model, "buffer", max_tokens=_LIMIT, token_counter="approximate")
    conversation.memory.add_messages([*_messages(said)])
    for text in said[:12]:
        conversation.send(text[:200])
    return model.sent[0], max(model.sent[5:])


def _messages(said: Sequence[str]) -> Iterator[Message]:
    for role, text in zip(itertools.cycle(("user", "assistant")), said, strict=False):
        yield {"role": role, "content": text}


def _percent(share: float) -> str:
    return f"{share * 100:+.1f}"


def _print_table(head: str, rows: Any) -> None:
    typer.echo(f"\n{head}\n|---{'|---:' * (head.count('|') - 2)}|")
    for kind, cells in rows:
        typer.echo(f"| {kind} | {' | '.join(cells)} |")


@contextmanager
def _prepared(environment: Path | None) -> Generator[tuple[Path, dict[str, Counter]]]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = environment or Path(temporary)
        with counters(folder) as known:
            yield folder, known


if __name__ == "__main__":
    app()
