"""The prompts, one Jinja file for each, and the loader that renders them.

A strategy may have its own prompts (`BaseMemory._own_prompts`). Values in a prompt are data: a value is never
interpreted as a template, and the prompt's tags are escaped in values. A missing variable is an error.
"""

import functools
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from memzoo.errors import OptionError
from memzoo.forks import cached_property
from memzoo.text import did_you_mean

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["PROMPTS", "PromptSet", "PromptSource", "Template"]

_FOLDER = Path(__file__).parent

PROMPTS = tuple(sorted(path.stem for path in _FOLDER.glob("*.jinja")))
"""The names of the library's prompts."""

PromptSource: TypeAlias = str | Path | Mapping[str, str] | None
"""Replacements for the library's templates: a folder of `<name>.jinja` files, or template texts by name."""

Template: TypeAlias = Union[str, Path, "Traversable"]
"""The text of a template, or a file with the text."""

# The variables with the subject of a prompt's task: a template must use at least one variable of each group.
_LINES = frozenset({"new_lines", "dated_new_lines"})
_NEEDED: Mapping[str, Sequence[frozenset[str]]] = {
    "summary": [_LINES],
    "entity_notes": [_LINES],
    "triple_extraction": [_LINES],
    "current_entities": [frozenset({"input"})],
    "compare_answer": [frozenset({"memory"}), frozenset({"question"})],
    "compare_judge": [frozenset({"answer"}), frozenset({"reply"})],
    "compare_questions": [frozenset({"lines"})],
}
# The most characters of an invalid folder name in an error message.
_LONGEST_NAME = 200
_TAG = re.compile(r"<\s*+(?:/\s*+)?([^\W\d][\w:.-]*+)")

# Spaces and invisible characters.
_BLANKS = "[\\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*+"


class PromptSet:
    """Renders prompts by name. A user's template replaces memzoo's template with the same name.

    Example:
        >>> prompts = PromptSet({"summary": "Shorten: {{ summary }} {{ new_lines }}"})
        >>> prompts.render("summary", summary="Sam is here.", new_lines="Human: {{ 1 + 1 }}")
        'Shorten: Sam is here. Human: {{ 1 + 1 }}'
        >>> sorted(prompts.variables("current_entities"))
        ['history', 'input', 'known']
    """

    def __init__(self, source: PromptSource = None, brought: Mapping[str, Template] | None = None) -> None:
        """Check the replacements, without rendering a prompt.

        Args:
            source: The replacements for some prompts: a folder with `.jinja` files, or a mapping from names to template
                texts.
            brought: The prompts that a strategy adds, by name; `source` may replace these prompts, too.

        Raises:
            OptionError: The folder, the file or the prompt does not exist.
            OptionError: A template is invalid, uses a variable that the replaced template does not use, or leaves out
                the text on which the model is to work.
        """
        given, more = _read(source), {name: _text(name, template) for name, template in (brought or {}).items()}
        self._own = frozenset((more | given).items())
        for name in given:
            _check_known(name, {*PROMPTS, *more})
            replaced = (_templates_of(frozenset(own)) for own in ((), more.items()))
            allowed = {one for templates in replaced if name in templates.names for one in templates.variables(name)}
            # Each variable with days also exists without days.
            allowed |= {one.removeprefix("dated_") for one in allowed}
            used = self.variables(name)
            if extra := used - allowed:
                raise OptionError(
                    f"prompt {name!r}: its template uses {_join_names(extra)}; it may use {_join_names(allowed)}"
                )
            for needed in _NEEDED.get(name, [allowed] if allowed else []):
                if not used & needed:
                    raise OptionError(
                        f"prompt {name!r}: its template must use {' or '.join(map(repr, sorted(needed)))}; otherwise "
                        "the model does not see the subject of its task"
                    )

    def render(self, name: str, **variables: Any) -> str:
        """Return the text of a prompt.

        Raises:
            OptionError: The prompt is unknown, a variable is missing or unknown, or the template fails.
        """
        _check_known(name, self._templates.names)
        try:
            return self._templates.environment.get_template(name).render(variables).strip()
        except Exception as error:  # a template is code, and can fail in any way
            raise OptionError(f"prompt {name!r} cannot be rendered: {str(error) or type(error).__name__}") from error

    def variables(self, name: str) -> frozenset[str]:
        """Return the variables of a prompt, including those of included templates."""
        return self._templates.variables(name)

    @property
    def _templates(self) -> "_Templates":
        return _templates_of(self._own)


class _Templates:
    """The compiled templates, shared by all `PromptSet` objects with the same replacements."""

    def __init__(self, own: frozenset[tuple[str, str]]) -> None:
        self._own = dict(own)
        self.names = {*PROMPTS, *self._own}

    @cached_property
    def tag(self) -> re.Pattern[str]:
        """A pattern for the opening and closing tags of sections in all templates."""
        from jinja2 import nodes

        trees = (self.environment.parse(self.source(name)) for name in self.names)
        texts = "".join(text.data for tree in trees for text in tree.find_all(nodes.TemplateData))
        tags = "|".join(sorted(map(re.escape, set(_TAG.findall(texts)))))
        # Also match a "<" at the end of a value, because the text after the value may complete a tag.
        return re.compile(
            rf"[<\uff1c\ufe64](?={_BLANKS}(?:[/\uff0f]{_BLANKS})?(?:(?:{tags})(?![\w:.-])|\Z))", re.IGNORECASE
        )

    @cached_property
    def environment(self) -> "ImmutableSandboxedEnvironment":
        """The Jinja environment that renders the templates."""
        from jinja2 import FunctionLoader, StrictUndefined
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        return ImmutableSandboxedEnvironment(
            loader=FunctionLoader(self.source),
            undefined=StrictUndefined,
            autoescape=False,
            finalize=self._as_data,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def variables(self, name: str) -> frozenset[str]:
        """Return the variables in a prompt's template and in the templates included by it."""
        from jinja2 import TemplateSyntaxError, meta

        try:
            tree = self.environment.parse(self.source(name))
            included = filter(None, meta.find_referenced_templates(tree))
            return frozenset(meta.find_undeclared_variables(tree)).union(*map(self.variables, included))
        except TemplateSyntaxError as error:
            raise OptionError(f"the template for prompt {name!r}, line {error.lineno}: {error.message}") from error
        except RecursionError:
            raise OptionError(f"the template for prompt {name!r} includes itself") from None
        except OptionError:
            raise
        except Exception as error:  # parsing evaluates the template's constant expressions
            raise OptionError(f"the template for prompt {name!r}: {str(error) or type(error).__name__}") from error

    def source(self, name: str) -> str:
        """Return the text of a template."""
        _check_known(name, self.names)  # a template may include others by a computed name
        return self._own[name] if name in self._own else (_FOLDER / f"{name}.jinja").read_text(encoding="utf-8")

    def _as_data(self, value: object) -> str:
        return self.tag.sub("&lt;", str(value))


_templates_of = functools.lru_cache(maxsize=32)(_Templates)
if hasattr(os, "register_at_fork"):  # a thread that does not exist in the child may hold a lock of the environment
    os.register_at_fork(after_in_child=_templates_of.cache_clear)


def _read(source: PromptSource) -> dict[str, str]:
    if source is None or isinstance(source, Mapping):
        for name, template in (source or {}).items():
            if not isinstance(template, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise OptionError(f"prompt {name!r}: its template must be text, not {template!r}")
        return dict(source or {})
    if not isinstance(source, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise OptionError(f"prompts must be a folder, or templates by name, not {source!r}")
    if not os.path.isdir(folder := Path(source)):  # noqa: PTH112 - also if it is too long
        name = str(source) if len(str(source)) <= _LONGEST_NAME else f"{str(source)[:_LONGEST_NAME]}..."
        raise OptionError(f"prompts: {name!r} is not a folder; a template is given by its name, {{'summary': '...'}}")
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.jinja"))}


def _text(name: str, template: Template) -> str:
    """Return the text of a strategy's template."""
    if isinstance(template, str):
        return template
    try:
        return template.read_text(encoding="utf-8")
    except (OSError, UnicodeError, AttributeError) as error:
        raise OptionError(f"prompt {name!r}: its template must be text or a file, not {template!r}: {error}") from error


def _check_known(name: str, known: Collection[str]) -> None:
    if name not in known:
        raise OptionError(
            f"there is no prompt {name!r}; the prompts are {_join_names(known)}{did_you_mean(name, sorted(known))}"
        )


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))
