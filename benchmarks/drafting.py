"""Drafts questions about a conversation that has none, with evidence, for a person to check."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memzoo.benchmarks.measure.measuring import messages_in
from memzoo.benchmarks.transcripts import read_transcripts
from memzoo.errors import ModelReplyError, TranscriptError
from memzoo.prompts import PromptSet
from memzoo.stores import Message
from memzoo.strategy import ModelOption, as_model, text_of
from memzoo.sync import drive

__all__ = ["drafted"]

_MOST_CHARACTERS = 24_000  # some 6,000 tokens: small models find little in more
_FIELDS = 4  # question, answer, evidence, kind
_HEAD = """\
# Questions that a model drafted about the conversation below: read each, correct it, delete what is wrong.
# evidence: the ids of the messages that hold the answer. Nobody has checked them yet.
"""


def drafted(path: str | Path, model: ModelOption, count: int = 20) -> str:
    """Have a model draft questions about a conversation.

    Args:
        path: A file with one conversation.
        model: Drafts them.
        count: How many, about.

    Returns:
        The conversation with the questions, as YAML that `memzoo compare` reads. (It is JSON line by line, which every
        reader of YAML understands.)

    Raises:
        TranscriptError: The file cannot be understood, or holds several conversations.
        ModelError: The model failed.
        ModelReplyError: None of its lines is a question with evidence.
    """
    transcripts = list(read_transcripts([path]))
    if len(transcripts) != 1:
        raise TranscriptError(f"{path} holds {len(transcripts)} conversations; questions are drafted for one at a time")
    (transcript,) = transcripts
    messages = list(messages_in(transcript))
    asking, templates = as_model(model), PromptSet()
    parts = list(_parts(messages))
    found: list[dict[str, Any]] = []
    for part in parts:
        lines = "\n".join(f"[{number}] {messages[number]['role']}: {text_of(messages[number])}" for number in part)
        content = templates.render("compare_questions", lines=lines, count=-(-count // len(parts)))
        reply = drive(asking.complete([{"role": "user", "content": content}], "compare_questions"))
        found += _read(reply.text, set(part))
    if not found:
        raise ModelReplyError(f"the model {asking.name!r} drafted no question in the form that was asked for")
    about = {"title": transcript.title, "user": transcript.user, "assistant": transcript.assistant}
    said = [{**message, "id": f"m{number}"} for number, message in enumerate(messages)]
    return _HEAD + _yaml(about, found, said)


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


def _read(reply: str, known: set[int]) -> Iterator[dict[str, Any]]:
    """Read the lines of a reply that are questions, with messages that were shown as evidence."""
    for line in reply.splitlines():
        fields = [field.strip() for field in line.strip().strip("|").split("|")]
        if len(fields) != _FIELDS or not fields[0].rstrip().endswith(("?", "\uff1f", ".")):
            continue
        cited = map(int, re.findall(r"[0-9]+", fields[2]))
        evidence = [f"m{number}" for number in dict.fromkeys(cited) if number in known]
        if evidence:
            yield {"question": fields[0], "answer": fields[1], "evidence": evidence, "category": fields[3].lower()}


def _yaml(about: dict[str, str], found: Sequence[dict[str, Any]], said: Sequence[dict[str, Any]]) -> str:
    lines = [f"{key}: {_json(value)}" for key, value in about.items()]
    lines.append("questions:")
    for one in found:
        first, *others = one.items()
        lines += [f"- {first[0]}: {_json(first[1])}", *(f"  {key}: {_json(value)}" for key, value in others)]
    return "\n".join([*lines, "messages:", *(f"- {_json(one)}" for one in said)]) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
