"""Whatever a model writes, reading it gives something legal or a `ModelReplyError`, in time linear in its length."""

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from memzoo.errors import ModelReplyError
from memzoo.memories.models.replies import Amendment, Statement, amendments, names, prose, statements
from memzoo.memories.text.names import canonical

SIZE = 50_000
CPU_SECONDS = 5

PIECES = """
Sam | likes tea ( ) , , <|> NOT not none NONE nothing new : Output: Summary: ``` ```json - * 1. 2) " ' ’ [ ] { } -> .
.. , Inc. Sam: sorry
""".split()

replies = some.lists(
    some.one_of(some.sampled_from([*PIECES, " ", "\n", "\t", "\\", "\0", "\u2028"]), some.text(max_size=4)), max_size=20
).map("".join)


def result_of(read: Callable[..., Any], *args: Any) -> Any:
    """What reading gives; `None` for the one error that it may raise."""
    try:
        return read(*args)
    except ModelReplyError:
        return None


@given(replies)
def test_names_are_names(reply: str) -> None:
    """Any text gives names, each once and none of them empty or "none", or the error (M1)."""
    found: list[str] = result_of(names, reply) or []
    assert all(canonical(name) and result_of(prose, name, "name") != "" and "\n" not in name for name in found)
    assert len({canonical(name) for name in found}) == len(found)


@given(replies, some.lists(some.sampled_from(["Sam", "tea", "Eve"])), replies)
def test_notes_are_about_somebody(reply: str, known: list[str], source: str) -> None:
    """Any text gives notes that say something, about what has the form of a name, or the error (M1, M3)."""
    found: list[Amendment] = result_of(amendments, reply, known, source) or []
    named = [(name, note) for name, note, number in found if not number]
    assert all(canonical(name) and "\n" not in name and len(name) <= 80 for name, _ in named)
    assert all(note.strip() and result_of(prose, note, "note") != "" for _, note in named)


@example("NOT.|Sam|Sam")
@example("Sam|not|Sam")
@given(replies)
def test_statements_have_three_parts(reply: str) -> None:
    """Any text gives statements with a subject, a relation and an object, or the error (M2)."""
    found: list[Statement] = result_of(statements, reply) or []
    for statement in found:
        assert all(canonical(part) for part in statement[:3])


@given(replies)
def test_prose_is_text(reply: str) -> None:
    """Any text gives a text without blanks around it, or the error (M3)."""
    text = result_of(prose, reply, "summary", "Sam is here.")
    assert text is None or (text and text == text.strip())


@pytest.fixture
def cpu_limit() -> Iterator[None]:
    """Ends a test that would take for ever. It bounds the processor's time, not the clock's."""

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError(f"more than {CPU_SECONDS} seconds of processor time for {SIZE} characters")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


HUGE = {
    "letters": "x" * SIZE,
    "words": "word " * (SIZE // 5),
    "lines": "Sam\n" * (SIZE // 4),
    "labelled lines": "Eve: x\n" * (SIZE // 7),
    "bullets": "- " * (SIZE // 2),
    "dashes": "-" * SIZE,
    "a line of dashes": f"Sam {'-' * SIZE} Eve",
    "commas": "," * SIZE,
    "comma and blanks": f"Sam,{' ' * SIZE}Eve",
    "blanks in a triple": f"a | b{' ' * SIZE}c | d",
    "brackets": "(" * SIZE,
    "triples": "(A, b, c), " * (SIZE // 11),
    "quotes": "'" * SIZE + "s",
    "label and blanks": f"the {'new ' * (SIZE // 4)}summary{' ' * SIZE}x",
    "fences": "```\n" * (SIZE // 4),
    "nested lists": "[" * SIZE,
    "nested objects": '{"a":' * (SIZE // 5),
    "refusal": "sorry " * (SIZE // 6),
}
READERS: dict[str, Callable[[str], object]] = {
    "names": lambda text: result_of(names, text),
    "notes": lambda text: result_of(amendments, f"Sam: {text}", ["Sam"], text),
    "statements": lambda text: result_of(statements, text),
    "prose": lambda text: result_of(prose, text, "summary"),
    "canonical": canonical,
}


@pytest.mark.skipif(not hasattr(signal, "ITIMER_VIRTUAL"), reason="needs a timer of processor time")
@pytest.mark.usefixtures("cpu_limit")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", HUGE)
def test_a_long_text_is_read(reader: str, text: str) -> None:
    """Time grows with the length of a text, not with its square: a pasted line of dashes stops no conversation."""
    READERS[reader](HUGE[text])
