"""Drafts questions about conversations that have none, with evidence, for a person to check."""

import itertools
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from memzoo.benchmarks.gaps import gap_questions
from memzoo.benchmarks.measure.measuring import messages_in
from memzoo.benchmarks.transcripts import Transcript, read_transcripts
from memzoo.benchmarks.transcripts.conversations import UNDATED, Exchange
from memzoo.errors import ModelReplyError, TranscriptError
from memzoo.memories import Model
from memzoo.prompts import PromptSet
from memzoo.stores import Message
from memzoo.strategy import ModelOption, as_model, text_of
from memzoo.sync import drive

__all__ = ["draft_questions"]

_MOST_CHARACTERS = 24_000  # some 6,000 tokens: small models find little in more
_FIELDS = 4  # question, answer, evidence, kind
_BY_MODEL = """\
# Questions that a model drafted about the conversations below: read each, correct it, delete what is wrong.
# evidence: the ids of the messages that hold the answer. Nobody has checked them yet.
"""
_BY_RULES = """\
# Questions that rules drafted about the conversations below, without a model: what the user said, with a gap.
# Read each, write it as you would ask it, delete what nobody would ask. What stood in the gap is the answer, and
# evidence has the id of the message. The category says that it was only drafted: change it once you have read it.
"""


def draft_questions(paths: Iterable[str | Path], model: ModelOption | None = None, count: int = 20) -> str:
    """Draft questions about conversations.

    Args:
        paths: Files and folders with conversations.
        model: Drafts them; rules do without one, see `gap_questions`.
        count: How many, about, for each conversation.

    Returns:
        The conversations with the questions, as YAML that `memzoo compare` reads. (It is JSON line by line, which every
        reader of YAML understands.)

    Raises:
        TranscriptError: A file cannot be understood; or rules found nothing to ask about in any conversation.
        ModelError: The model failed.
        ModelReplyError: None of its lines is a question with evidence.
    """
    transcripts = list(read_transcripts(paths))
    asking = None if model is None else as_model(model)
    asked = [_by_model(asking, one, count) if asking else _by_rules(one, count) for one in transcripts]
    if not any(asked):
        raise TranscriptError(
            "rules found nothing to ask about: no user says a name, a number, a date or what he likes in a sentence of "
            "five words and more; name a model with --model"
        )
    documents = [_yaml(one, found) for one, found in zip(transcripts, asked, strict=True)]
    if len(documents) > 1:
        documents = [f"- {textwrap.indent(document, '  ')[2:]}" for document in documents]
    return (_BY_MODEL if asking else _BY_RULES) + "".join(documents)


def _by_rules(transcript: Transcript, count: int) -> list[dict[str, Any]]:
    places = {text_of(message): f"m{number}" for number, message in reversed([*enumerate(messages_in(transcript))])}
    return [
        {
            "question": one.text,
            "answer": one.answer,
            "evidence": [places[text] for text in one.evidence],
            "category": one.category,
        }
        for one in gap_questions(transcript, count)
    ]


def _by_model(model: Model, transcript: Transcript, count: int) -> list[dict[str, Any]]:
    messages, templates = list(messages_in(transcript)), PromptSet()
    parts = list(_parts(messages))
    found: list[dict[str, Any]] = []
    for part in parts:
        lines = "\n".join(f"[{number}] {messages[number]['role']}: {text_of(messages[number])}" for number in part)
        content = templates.render("compare_questions", lines=lines, count=-(-count // len(parts)))
        reply = drive(model.complete([{"role": "user", "content": content}], "compare_questions"))
        found += _read(reply.text, set(map(str, part)))
    if not found:
        raise ModelReplyError(f"the model {model.name!r} drafted no question in the form that was asked for")
    return found


def _parts(messages: Sequence[Message]) -> Iterator[list[int]]:
    """Split messages, by their numbers, into parts that a prompt has room for."""
    part, size = list[int](), 0
    for number, message in enumerate(messages):
        size += len(text_of(message))
        if part and size > _MOST_CHARACTERS:
            yield part
            part, size = [], len(text_of(message))
        part.append(number)
    yield part


def _read(reply: str, known: set[str]) -> Iterator[dict[str, Any]]:
    """Read the lines of a reply that are questions, with messages that were shown as evidence."""
    for line in reply.splitlines():
        fields = [field.strip() for field in line.strip().strip("|").split("|")]
        if len(fields) != _FIELDS or not fields[0].rstrip().endswith(("?", "\uff1f", ".")):
            continue
        cited = (one.lstrip("0") or "0" for one in re.findall(r"[0-9]+", fields[2]))
        evidence = [f"m{number}" for number in dict.fromkeys(cited) if number in known]
        if evidence:
            yield {"question": fields[0], "answer": fields[1], "evidence": evidence, "category": fields[3].lower()}


def _yaml(transcript: Transcript, found: Sequence[dict[str, Any]]) -> str:
    about = {"title": transcript.title, "user": transcript.user, "assistant": transcript.assistant}
    lines = [f"{key}: {_json(value)}" for key, value in about.items()]
    lines.append("questions:" if found else "questions: []")
    for one in found:
        first, *others = one.items()
        lines += [f"- {first[0]}: {_json(first[1])}", *(f"  {key}: {_json(value)}" for key, value in others)]
    lines.append("sessions:")
    numbers = itertools.count()
    # A session begins where the date changes: dates are kept.
    for date, exchanges in itertools.groupby(transcript.exchanges, key=lambda one: one.said_at):
        dated = f"- date: {_json(date.isoformat())}\n  messages:" if date != UNDATED else "- messages:"
        said = [
            {**message, "id": f"m{next(numbers)}", **_keep(message, one)}
            for one in exchanges
            for message in one.messages
        ]
        lines += [dated, *(f"  - {_json(one)}" for one in said)]
    return "\n".join(lines) + "\n"


def _keep(message: Message, exchange: Exchange) -> dict[str, Any]:
    """What a message of a file says of a line that is followed."""
    mark = next((one for one in exchange.marks if one.text == text_of(message)), None)
    return {"keep": {"kind": mark.kind, "means": mark.means}} if mark else {}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
