"""Measures the search in ten days of chats, in two languages: `python -m memzoo.benchmarks.research memorybank`."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from memzoo.benchmarks.research.inputs import MEMORYBANK, refusals
from memzoo.benchmarks.research.lifebench import language_tables
from memzoo.benchmarks.research.tables import show
from memzoo.benchmarks.transcripts.conversations import Exchange, Question, Transcript
from memzoo.errors import OptionError

# The evidence of each person's questions, in their order: month/day, the exchange of the day, and the message: "u" is
# the user's, "a" the assistant's. Labelled by reading the English talk. "-" is a question whose answer is not in both
# languages, or is there twice. The talk is MemoryBank's (MIT License, Copyright (c) 2023 Wanjun Zhong).
_EVIDENCE: Mapping[str, str] = {
    "Emily": "4/30.4u 5/1.1u 5/3.3a 4/28.2u 4/30.2u+4/30.3u 5/2.2u 5/4.2u+5/4.3u",
    "Frank": "4/27.3u 4/28.9u 4/29.2a 5/5.2u 5/6.2u 4/30.2u 4/28.3a",
    "Lucy": "4/27.4u 4/29.2u+4/29.3u 4/28.2u 4/30.2u 5/3.1a 5/2.2a 4/28.2u",
    "Sunny": "4/28.2u 4/27.5u 5/3.2a 5/1.2u 4/27.3u 4/30.2a 5/4.1a",
    "Jason": "4/28.3u 4/29.4u 4/28.3u 4/27.5a 5/1.2u 5/2.4u 5/4.2a",
    "Linda": "5/6.2u 5/6.4u 4/27.3u+4/27.4u 4/28.3a 5/2.2u 5/1.2u 5/4.2u",
    "John Zhang": "4/28.2u 4/29.1u+4/29.2u 4/28.3u 4/30.1u - 5/4.1u 5/6.1u",
    "Ivy": "4/27.2u+4/27.3u+4/27.5u 5/6.2u+5/6.3u 5/2.1u 4/28.3u 4/27.4u 5/5.1a 5/2.1a",
    "Henry": "4/27.2u 4/30.1u 4/30.2a 5/4.2a 5/6.2u 4/28.3a 5/2.1a",
    "Gary": "4/28.3u 5/4.1a 5/5.2a 5/4.2a 5/2.1u+5/2.2u 4/30.1a 5/3.1a",
    "Jack": "4/27.3a 4/27.3a 5/5.3u 4/30.2u 5/3.2u 5/2.2a 5/4.1u",
    "Roland": "- - - 5/2.2u 4/28.2a+4/28.3a 4/27.3u",
    "Susan": "4/27.3u 4/27.3u 4/30.2u 4/29.2u 5/4.2a",
    "Luna": "4/28.3u 4/30.2u 5/4.1u 5/3.3a 4/28.5u",
    "Leo": "4/27.3u 5/2.2u 5/2.3u 5/3.2a 5/3.2a 5/4.2a 5/6.1u",
}
_LANGUAGES = {"zh": "cn", "en": "en"}


def memorybank(
    folder: Annotated[Path, typer.Argument(help="MemoryBank's talks and questions.")] = MEMORYBANK,
    *,
    budgets: Annotated[str, typer.Option(help="Tokens that may be shown.")] = "125,250,500,1000",
) -> None:
    """Measure the evidence that the search and BM25 show in ten days of chats, in each language."""
    with refusals():
        show(*language_tables(banks(folder), budgets))


def banks(folder: Path) -> dict[str, list[Transcript]]:
    """Return a dict from language to conversations, one between each person and the assistant.

    Raises:
        OptionError: The folder lacks a file.
    """
    talks = dict[str, list[Transcript]]()
    for language, suffix in _LANGUAGES.items():
        bank, asked = folder / f"memory_bank_{suffix}.json", folder / f"probing_questions_{suffix}.jsonl"
        if missing := [str(path) for path in (bank, asked) if not path.exists()]:
            raise OptionError(f"there is no {', '.join(missing)}: nothing to measure on")
        # The people have other names in Chinese, in the same order.
        people = json.loads(bank.read_text(encoding="utf-8")).values()
        questions = [json.loads(line) for line in asked.read_text(encoding="utf-8").splitlines() if line]
        talks[language] = [_transcript_of(*one) for one in zip(_EVIDENCE.items(), people, questions, strict=False)]
    return talks


def _transcript_of(
    labelled: tuple[str, str], person: Mapping[str, Any], questions: Mapping[str, Sequence[str]]
) -> Transcript:
    (name, places), (asked,) = labelled, questions.values()
    days = {datetime.fromisoformat(day).replace(tzinfo=UTC): said for day, said in person["history"].items()}
    texts = {
        f"{day.month}/{day.day}.{number}{who}": one[field]
        for day, said in days.items()
        for number, one in enumerate(said, start=1)
        for who, field in (("u", "query"), ("a", "response"))
    }
    exchanges = [
        Exchange(
            ({"role": "user", "content": one["query"]}, {"role": "assistant", "content": one["response"]}),
            ({}, {}),
            day,
        )
        for day, said in days.items()
        for one in said
    ]
    return Transcript(
        name,
        tuple(exchanges),
        tuple(
            Question(text, evidence=tuple(texts[place] for place in label.split("+")))
            for text, label in zip(asked, places.split(), strict=True)
            if label != "-"
        ),
        "User",
        "Assistant",
    )
