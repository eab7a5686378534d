"""Writes the page of `memzoo play`: as a single file, or as a page that gets its data from a server."""

import base64
import functools
import hashlib
import importlib.resources
import json
from collections.abc import Iterable

from jinja2 import Environment, StrictUndefined, Template

from memzoo.benchmarks.play.playing import Line

_REST = "img-src data:; base-uri 'none'; form-action 'none'"
POLICY = f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; {_REST}"
"""The content security policy of a served page: the page may load script, style and data only from its own server."""


def page(lines: Iterable[Line] | None = None) -> str:
    """Return the page as HTML.

    Args:
        lines: The data of the page as lines of JSON; by default, a server sends them.
    """
    told = None if lines is None else [*lines]
    style, script = asset("play.css"), asset("play.js")
    return _template().render(
        title=f"{told[0]['title']}: memzoo play" if told else "memzoo play",
        lines=told and _inside(told),
        style=style,
        script=script,
        policy=f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; {_REST}",
    )


def dump_json(value: object) -> str:
    """Return a value as JSON that can always be encoded as UTF-8."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate, as at the end of a cut-off text, cannot be encoded.
    return text.encode("utf-8", "replace").decode()


@functools.cache
def asset(name: str) -> str:
    """Return the text of a file in the folder of this module."""
    return (importlib.resources.files("memzoo.benchmarks.play") / name).read_text(encoding="utf-8")


def _inside(lines: list[Line]) -> str:
    """Return lines as JSON without "<", so that no text can close the surrounding HTML element."""
    return dump_json(lines).replace("<", "\\u003c")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@functools.cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(asset("play.html.jinja"))
