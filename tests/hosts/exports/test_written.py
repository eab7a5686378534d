"""Conversations that memzoo writes in the forms of other programs are read again."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.cli.chat_files import WRITERS
from memzoo.hosts.exports.chat_log import ChatLog
from memzoo.hosts.exports.files import FoundDocument, find_in_text
from memzoo.hosts.exports.forms import known_forms
from memzoo.hosts.exports.reading import Choice, read_document
from memzoo.memories.text.thoughts import extract_thoughts
from memzoo.stores import Entry, Message

TEXTS = (
    some.text(some.characters(codec="utf-8", exclude_categories=["Cc", "Co"], include_characters="\n\t"), min_size=1)
    | some.sampled_from(["### USER", "\\### USER\nHi", "You: hi", "a\n ** ### TOOL\nb", "- x\n\\\\### ASSISTANT"])
    | some.lists(some.sampled_from(["```", "```py", "x", " \\```", "\\\\ ```", "### USER"]), min_size=1).map("\n".join)
).map(str.strip)


def read_again(form: str, messages: Sequence[Message]) -> ChatLog:
    """The one conversation that is read of what is written."""
    at = datetime(2026, 3, 2, 9, 15, tzinfo=UTC)
    entries = [Entry(number, message, "t", at) for number, message in enumerate(messages, start=1)]
    file = io.StringIO("".join(WRITERS[form]("tea", entries)))
    [found] = find_in_text(file, "tea.md" if form == "markdown" else "tea.json", known_forms())
    assert isinstance(found, FoundDocument)
    [log] = read_document(found, Choice())
    assert isinstance(log, ChatLog)
    return log


@given(some.lists(TEXTS.filter(lambda text: text and extract_thoughts(text) == ("", text)), min_size=1, max_size=5))
@pytest.mark.parametrize("form", WRITERS)
def test_words_and_roles_come_back(form: str, texts: list[str]) -> None:
    """Whatever was said; labels, headings and backslashes in the words change nothing."""
    said = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]
    assert read_again(form, said).messages == said


@pytest.mark.parametrize("form", ["chatgpt", "openai"])
def test_times_and_names_come_back(form: str) -> None:
    """In the forms that have them."""
    said = [{"role": "user", "content": "Hi", "name": "Ada"}]
    log = read_again(form, said)
    assert (log.messages, log.dates) == (said, [datetime(2026, 3, 2, 9, 15, tzinfo=UTC)])


@pytest.mark.parametrize("form", WRITERS)
def test_work_of_tools_is_no_turn_of_the_user(form: str) -> None:
    """Calls and results are kept where a form has them, else left out; the words around them are there."""
    function = {"name": "add", "arguments": '{"a": 1}'}
    call: dict[str, Any] = {"id": "c", "type": "function", "function": function}
    said: list[Message] = [
        {"role": "user", "content": "Add."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "2"},
        {"role": "assistant", "content": "It is 2."},
    ]
    log = read_again(form, said)
    assert [one["content"] for one in log.messages if one["role"] != "tool" and one["content"]] == ["Add.", "It is 2."]
    if form == "openai":
        assert log.messages == said
