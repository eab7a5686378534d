"""The prompts: one Jinja file each, and the loader that renders them.

Whatever is put into a prompt is data. A value is never read as a template, and it cannot end the section it
stands in: the tags that the prompts use are disarmed in it. A variable that a template needs and that
is not given is an error, never an empty string.
"""

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from memzoo.stores.errors import PromptError

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["PROMPTS", "PromptSet", "PromptSource"]

PROMPTS = {
    "summary": frozenset({"summary", "new_lines", "limit"}),
    "entity_extraction": frozenset({"history", "new_lines"}),
    "entity_update": frozenset({"history", "new_lines", "entities"}),
    "triple_extraction": frozenset({"history", "new_lines"}),
    "current_entities": frozenset({"history", "input"}),
}
"""The names of the prompts, each with the variables that its template may use."""

PromptSource: TypeAlias = str | Path | Mapping[str, str] | None
"""Templates of one's own: a folder of `<name>.jinja` files, or a mapping from prompt names to template text."""

_FOLDER = Path(__file__).parent
# A "<" at the end counts too: what stands behind the value may complete it to a tag.
_TAG = re.compile(r"<(?=\s*/?\s*(?:(?:summary|history|new_lines|known|entity|input)\b|\Z))", re.IGNORECASE)


class PromptSet:
    """Renders the prompts by name, with some of them replaced by the user's.

    Example:
        >>> prompts = PromptSet({"summary": "Shorten: {{ summary }} {{ new_lines }}"})
        >>> prompts.render("summary", summary="Sam is here.", new_lines="Human: {{ 1 + 1 }}")
        'Shorten: Sam is here. Human: {{ 1 + 1 }}'
        >>> sorted(prompts.variables("current_entities"))
        ['history', 'input']
    """

    def __init__(self, source: PromptSource = None) -> None:
        """Check the replacements; nothing is rendered yet.

        Args:
            source: A folder with `.jinja` files, or a mapping from names to template text. What it lacks
                is taken from the prompts of the library.

        Raises:
            PromptError: The folder does not exist, a name is unknown, a template is not valid Jinja, or it uses
                a variable that its prompt does not have.
        """
        self._own = _read(source)
        for name in self._own:
            _check_known(name)
            if extra := self.variables(name) - PROMPTS[name]:
                raise PromptError(
                    f"the template for prompt {name!r} uses {_listed(extra)}; it may use {_listed(PROMPTS[name])}"
                )

    def render(self, name: str, **variables: Any) -> str:
        """The text of a prompt.

        Raises:
            PromptError: The name is unknown, or the template uses a variable that is not given (named in the text).
        """
        _check_known(name)
        try:
            return self._environment.get_template(name).render(variables).strip()
        except Exception as error:  # a template is code, and can fail in any way
            raise PromptError(f"prompt {name!r} cannot be rendered: {error}") from error

    def variables(self, name: str) -> frozenset[str]:
        """The variables that the template of a prompt uses."""
        from jinja2 import TemplateSyntaxError, meta

        _check_known(name)
        try:
            return frozenset(meta.find_undeclared_variables(self._environment.parse(self._source(name))))
        except TemplateSyntaxError as error:
            raise PromptError(f"the template for prompt {name!r}, line {error.lineno}: {error.message}") from error

    @functools.cached_property
    def _environment(self) -> "ImmutableSandboxedEnvironment":
        from jinja2 import FunctionLoader, StrictUndefined
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        return ImmutableSandboxedEnvironment(
            loader=FunctionLoader(self._source),
            undefined=StrictUndefined,
            autoescape=False,
            finalize=_as_data,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def _source(self, name: str) -> str:
        return self._own[name] if name in self._own else (_FOLDER / f"{name}.jinja").read_text(encoding="utf-8")


def _as_data(value: Any) -> str:
    return _TAG.sub("&lt;", str(value))


def _read(source: PromptSource) -> dict[str, str]:
    if source is None:
        return {}
    if isinstance(source, Mapping):
        return dict(source)
    folder = Path(source)
    if not folder.is_dir():
        raise PromptError(f"prompts: {str(source)!r} is not a folder")
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.jinja"))}


def _check_known(name: str) -> None:
    if name not in PROMPTS:
        raise PromptError(f"there is no prompt {name!r}; the prompts are {_listed(PROMPTS)}")


def _listed(names: Mapping[str, Any] | frozenset[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))
