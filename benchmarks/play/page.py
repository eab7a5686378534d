"""The page: one file that needs no server, or the page that a server sends and the files that it asks for."""

import base64
import functools
import hashlib
import importlib.resources
import json
from collections.abc import Iterable

from jinja2 import Environment, StrictUndefined, Template

from memzoo.benchmarks.play.playing import Line

__all__ = ["POLICY", "asset", "dump_json", "page"]

_REST = "img-src data:; base-uri 'none'; form-action 'none'"
POLICY = f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; {_REST}"
"""The sources that the page of a server may load: its own script, style and server."""


def page(lines: Iterable[Line] | None = None) -> str:
    """The page as HTML.

    Args:
        lines: Its lines, in the order of `Play.lines`, questions at the end; the page is then a file by itself,
            which loads nothing. By default the page asks its server.
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
    """A value as JSON, in UTF-8 for any text."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # Half a character, as cut-off texts have it, cannot be written.
    return text.encode("utf-8", "replace").decode()


@functools.cache
def asset(name: str) -> str:
    """A file beside the page."""
    return (importlib.resources.files("memzoo.benchmarks.play") / name).read_text(encoding="utf-8")


def _inside(lines: list[Line]) -> str:
    """JSON that cannot end the element it stands in: nothing in it opens a tag."""
    return dump_json(lines).replace("<", "\\u003c")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@functools.cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(asset("play.html.jinja"))
