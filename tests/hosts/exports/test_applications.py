"""Exports of applications, logs of calls to models, requests and data sets."""

import copy
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from memzoo.hosts.exports import ChatLog
from memzoo.hosts.exports.reading import read_conversations

from .applications import SAMPLES, Said

SHARED = Path(__file__).parents[3] / ".." / "shared" / "data" / "exports"
FORMS = (
    *("claude_code", "openwebui", "librechat_flat", "llamacpp", "lechat", "grok", "gemini_takeout", "gemini_api"),
    *("sharegpt_tools", "app_log", "anthropic_api", "jan_messages", "langsmith", "otel_genai", "lmstudio"),
    *("role_text", "anythingllm_csv", "chatgpt", "chatgpt_folder", "chatgpt_citations", "claude_ai", "openwebui_txt"),
)


def read(path: Path) -> tuple[list[ChatLog], list[str]]:
    """The conversations of a file, and the errors."""
    found = list(read_conversations([path]))
    return [one for one in found if isinstance(one, ChatLog)], [
        str(one) for one in found if not isinstance(one, ChatLog)
    ]


def words(log: ChatLog) -> list[tuple[str, str, datetime | None]]:
    """What was said in a conversation, without the work of tools."""
    pairs = zip(log.messages, log.dates, strict=True)
    return [(one["role"], one["content"], date) for one, date in pairs if one["role"] != "tool" and one["content"]]


def dated(said: Said) -> list[tuple[str, str, datetime | None]]:
    """The words of a sample, with dates in place of minutes."""
    ten = datetime(2026, 5, 4, 10, tzinfo=UTC)
    return [(role, text, None if minute is None else ten.replace(minute=minute)) for role, text, minute in said]


def places(value: Any, key: str) -> Iterator[dict[str, Any]]:
    """The objects in a document that have a key, in their order."""
    inside: Iterable[Any] = ()
    if isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        inside = known.values()
        if key in known:
            yield known
    elif isinstance(value, list | tuple):
        inside = cast("Sequence[Any]", value)
    for one in inside:
        yield from places(one, key)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_form_is_read(name: str, tmp_path: Path) -> None:
    """Roles, words, times and the shown branch are right, and the notes tell what is left out."""
    sample = SAMPLES[name]
    logs, errors = read(sample.write(tmp_path))
    assert not errors
    assert [words(log) for log in logs] == [dated(said) for said in sample.talks]
    assert set(sample.notes) <= {note for log in logs for note in log.notes}


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.keys[1]])
def test_a_missing_text_is_counted(name: str, tmp_path: Path) -> None:
    """Without the last text, the rest is read, and a note counts the message."""
    sample = SAMPLES[name]
    document = copy.deepcopy(sample.document)
    *_, last = places(document, sample.keys[1])
    del last[sample.keys[1]]
    logs, errors = read(sample.write(tmp_path, document))
    told = [*errors, *(note for log in logs for note in log.notes)]
    assert [one for one in told if "without text" in one or sample.keys[1] in one or "known format" in one], told
    assert sum(len(words(log)) for log in logs) < sum(map(len, sample.talks))


@pytest.mark.parametrize(
    ("name", "key"),
    [(name, key) for name, sample in SAMPLES.items() for key in (sample.keys[0], *sample.keys[2:]) if key],
)
def test_a_renamed_key_is_an_error(name: str, key: str, tmp_path: Path) -> None:
    """A role, time or parent under another name refuses the conversation, and the error names the key."""
    sample = SAMPLES[name]
    document = copy.deepcopy(sample.document)
    *_, last = places(document, key)
    last[f"{key}_"] = last.pop(key)
    _, errors = read(sample.write(tmp_path, document))
    assert [error for error in errors if key in error]


@pytest.mark.parametrize("name", FORMS)
def test_files_with_a_truth_are_read(name: str) -> None:
    """Files beside the project that tell what is true of them are read so."""
    if not SHARED.exists():
        pytest.skip("there are no such files on this machine")
    (path,) = (one for one in SHARED.iterdir() if one.stem == name)
    truth = json.loads((SHARED / f"{name}.truth.json").read_text(encoding="utf-8"))
    logs, errors = read(path)
    assert not errors
    for log, talk in zip(logs, truth, strict=True):
        assert [(role, plain(text)) for role, text, _ in words(log)] == [
            (one["role"], plain(one["text"])) for one in talk["messages"]
        ]
        for (_, _, date), one in zip(words(log), talk["messages"], strict=True):
            assert "at" not in one or (date and date.replace(microsecond=0)) == datetime.fromisoformat(one["at"])


def plain(text: str) -> str:
    """A text with single blanks."""
    return re.sub(r"\s+", " ", text).strip()
