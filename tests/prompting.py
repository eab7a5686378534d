"""Renders the prompts of the library for tests."""

from typing import Any

from memzoo.prompts import PromptSet

__all__ = ["rendered"]

_PROMPTS = PromptSet()
_NOTHING: dict[str, Any] = {
    "history": "",
    "new_lines": "",
    "known": "",
    "input": "",
    "target": 2400,
    "length": 0,
    "names": (),
    "relations": (),
}


def rendered(task: str, **variables: Any) -> str:
    """A prompt with some values; the others are empty, and lines with days are the lines."""
    given = _NOTHING | variables
    dated = {f"dated_{name}": given[name] for name in ("history", "new_lines")}
    return _PROMPTS.render(task, **{**dated, **given})
