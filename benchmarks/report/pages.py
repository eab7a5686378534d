"""Renders the report as one page of HTML: no scripts, no network, all text from outside escaped."""

import importlib.resources

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from memzoo.benchmarks.measure.comparing import Comparison
from memzoo.benchmarks.report.drawing import COLOURS, require_matplotlib
from memzoo.benchmarks.report.examples import telling_example
from memzoo.benchmarks.report.pictures import calls_picture, context_picture, recall_picture
from memzoo.benchmarks.report.tabulating import caption, columns, exclusions, share, troubles

__all__ = ["page"]


def page(comparison: Comparison) -> str:
    """Render the report: pictures, table, an example, and how it was measured.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    require_matplotlib()
    asked = any(one.measured for one in comparison.transcripts)
    longest = max(comparison.transcripts, key=lambda one: len(one.exchanges))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["share"] = share
    return environment.from_string(_template()).render(
        comparison=comparison,
        columns=columns(comparison),
        notes=caption(comparison),
        remarks=exclusions(comparison) + troubles(comparison),
        colours=COLOURS,
        longest=longest,
        context=_drawn(context_picture(comparison)),
        recall=_drawn(recall_picture(comparison)) if asked else None,
        calls=_drawn(calls_picture(comparison)),
        example=telling_example(comparison),
    )


def _template() -> str:
    return (importlib.resources.files("memzoo.benchmarks.data") / "report.html.jinja").read_text(encoding="utf-8")


def _drawn(svg: str) -> Markup:
    # Safe: the pictures hold numbers and the names of scenarios, no text from outside.
    return Markup(svg)  # noqa: S704 - see above
