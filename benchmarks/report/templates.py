"""Renders the templates of the report, with all values escaped."""

import functools
import importlib.resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined


def source(name: str) -> str:
    """Return the text of a file in the folder of the templates."""
    return (importlib.resources.files("memzoo.benchmarks.data") / name).read_text(encoding="utf-8")


def render_template(name: str, **values: Any) -> str:
    """Return a template rendered with values."""
    return _environment().get_template(name).render(**values)


@functools.cache
def _environment() -> Environment:
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(source),
    )
