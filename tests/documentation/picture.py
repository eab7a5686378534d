"""A picture of what a memory shows: a row for each exchange, a cell for each message, a bar for the tokens."""

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

from memzoo.stores import Message
from tests.documentation.talk import TALK, options_of, shown

_CELL, _GAP, _LEFT, _TOP, _ROW = 22, 4, 26, 46, 28
_BAR_LEFT = _LEFT + 2 * len(TALK) * _CELL + 10
_WIDTH, _BAR = _BAR_LEFT + 130, 80
_MOST_TOKENS = 160
_FILL = {"message": "#1f8a8a", "text": "#d98a1f", "hidden": "none"}
# Readable on white and on black: a picture does not know the colours of its page.
_INK = "#7c828a"
_ROLES = ("user", "assistant")


_LABELS = (("message", "shown", 62), ("text", "retold in a text", 116), ("hidden", "in the log only", 110))
_SAID = [{"role": role, "content": text} for pair in TALK for role, text in zip(_ROLES, pair, strict=True)]


def svg(name: str) -> str:
    """The picture of a class, as SVG."""
    rows = [row for number, view in enumerate(shown(name), 1) for row in _row(number, view)]
    height = _TOP + len(TALK) * _ROW + 44
    size = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    style = f'font-family="system-ui, sans-serif" font-size="12" fill="{_INK}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>',
            f"<title>{escape(described(name))}</title>",
            *_head(),
            *rows,
            *_legend(height - 26),
            "</svg>\n",
        ]
    )


def described(name: str) -> str:
    """What a picture shows, in words."""
    options = ", ".join(f"{key}={value!r}" for key, value in options_of(name).items() if key != "memories")
    return f"What {name}({options}) shows the model as a conversation of {len(TALK)} exchanges grows".replace("()", "")


def told(message: Message, view: Iterable[Message]) -> str:
    """How a view tells of a message: as that "message", within another "text", or not: "hidden"."""
    shown_as = [(one["role"], str(one["content"])) for one in view]
    if (message["role"], message["content"]) in shown_as:
        return "message"
    words = _words(str(message["content"]))
    texts = _words(" ".join(content for role, content in shown_as if {"role": role, "content": content} not in _SAID))
    return "text" if words and len(words & texts) * 2 >= len(words) else "hidden"


def _row(number: int, view: list[Message]) -> Iterable[str]:
    top = _TOP + (number - 1) * _ROW
    yield f'<text x="{_LEFT - 10}" y="{top + 15}" text-anchor="end">{number}</text>'
    for place, message in enumerate(_SAID[: 2 * number]):
        left = _LEFT + place * _CELL
        yield (
            f'<rect x="{left}" y="{top}" width="{_CELL - _GAP}" height="{_CELL - _GAP}" rx="3" '
            f'fill="{_FILL[told(message, view)]}" stroke="{_INK}" stroke-opacity="0.6"/>'
        )
    tokens = sum(-(-len(str(message["content"])) // 4) for message in view)
    wide = round(min(tokens, _MOST_TOKENS) * _BAR / _MOST_TOKENS, 1)
    yield f'<rect x="{_BAR_LEFT}" y="{top + 3}" width="{wide}" height="12" rx="2" fill="{_INK}" fill-opacity="0.7"/>'
    yield f'<text x="{_BAR_LEFT + wide + 5}" y="{top + 14}">{tokens}</text>'


def _head() -> Iterable[str]:
    yield f'<text x="{_LEFT}" y="16">Messages, oldest first. Row n: after n exchanges</text>'
    yield f'<text x="{_BAR_LEFT}" y="34">tokens shown</text>'
    for exchange in range(len(TALK)):
        left = _LEFT + 2 * exchange * _CELL + _CELL - _GAP / 2
        yield f'<text x="{left}" y="36" text-anchor="middle">{exchange + 1}</text>'


def _legend(top: int) -> Iterable[str]:
    left = _LEFT
    for kind, label, width in _LABELS:
        yield (
            f'<rect x="{left}" y="{top}" width="14" height="14" rx="3" fill="{_FILL[kind]}" '
            f'stroke="{_INK}" stroke-opacity="0.6"/>'
        )
        yield f'<text x="{left + 19}" y="{top + 12}">{label}</text>'
        left += width + 14


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower())) - {"that", "what", "this", "with"}
