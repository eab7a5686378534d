"""Shortening texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories.text.fitting import shorten_text


@pytest.mark.parametrize(
    ("text", "limit", "beginning"),
    [
        ("One. Two. Three.", 16, "One. Two. Three."),
        ("One. Two. Three.", 15, "One. Two."),
        ("She said “no!” He left.", 16, "She said “no!”"),
        ("On Sam: tea\nOn Eve: milk", 20, "On Sam: tea"),
        ("It costs 3.50 today. Really.", 21, "It costs 3.50 today."),
        ("No sentence ends here", 12, "No sentence"),
        ("山田さんは東京に住んでいます。猫が好きです。", 20, "山田さんは東京に住んでいます。"),
        ("Word", 3, ""),
        ("", 0, ""),
    ],
)
def test_ends_with_a_sentence_or_a_word(text: str, limit: int, beginning: str) -> None:
    """The longest beginning of whole sentences or lines is taken, or else of words."""
    assert shorten_text(text, lambda beginning: len(beginning) <= limit) == beginning


@given(some.text(" .!?\nab。", max_size=40), some.integers(0, 40))
def test_always_fits(text: str, limit: int) -> None:
    """Whatever the text, its beginning fits and is one."""
    beginning = shorten_text(text, lambda beginning: len(beginning) <= limit)
    assert len(beginning) <= limit
    assert text.startswith(beginning)
