"""Renders memories' requests with chat templates of open models: `python -m tools.templates`, or `make templates`.

Each request that a memory makes is reduced to its form: roles, calls and kinds of content, with a mark in place of each
text. Each form is rendered once with each template, as prepared by vLLM and by llama.cpp's server. The faults are
counted: errors, lost marks, "None", arguments encoded twice. Open converters get the same forms.
"""

import json
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Annotated, cast

import typer
from rich.console import Console

from memzoo.memories.text.families import FAMILIES, Family, family_of
from memzoo.memories.text.messages import sendable
from tools.templates.fetched import CACHE, fetch
from tools.templates.forms import Form, form_of
from tools.templates.rendering import SERVERS, TOOLS, Template, called, said
from tools.templates.talks import OPTIONS, QUESTION, View, views, words_of

PLAIN = [said("user", "hi"), *called("markq"), said("assistant", "yes"), said("user", "hm")]
BESIDE = [said("user", "hi"), *called("markq", content="besideq"), said("assistant", "yes"), said("user", "hm")]


def judge(template: Template, server: str, form: Form, *, tools: bool) -> dict[str, str]:
    """Render a form with a template, as a server does, and return the faults by name, each with an example."""
    offered = TOOLS if tools and (template.takes_tools or "call" in form.marks.values()) else None
    try:
        text = template.render(SERVERS[server](template, form.messages), offered)
    except Exception as error:  # noqa: BLE001 - a template may raise anything
        return {"raises": " ".join(str(error).split())[:100] or type(error).__name__}
    faults = {f"loses {kind}": mark for mark, kind in form.marks.items() if mark not in text}
    plain = template.plain_text(tools=bool(offered))
    wrong = {"says None": "None", "encodes twice": '\\"name\\"'}
    return faults | {fault: mark for fault, mark in wrong.items() if text.count(mark) > plain.count(mark)}


class Converters:
    """The open converters, run by a Python that has their packages."""

    def __init__(self, python: Path) -> None:
        command = [python, Path(__file__).with_name("converters.py")]
        self._running = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def judge(self, form: Form, *, tools: bool) -> dict[str, dict[str, str]]:
        """Return the faults of a form by converter, then by name, each with an example."""
        asked, answers = cast("IO[str]", self._running.stdin), cast("IO[str]", self._running.stdout)
        print(json.dumps(asdict(form) | {"tools": TOOLS if tools else None}), file=asked, flush=True)
        return json.loads(answers.readline())


class Count:
    """Counts the faults of all forms.

    Attributes:
        views: The number of views.
        unable: The faults with one plain tool call, by template or converter; they are not counted again.
        found: The other faults, by (strategy, with tools), fault, and template or converter, each with an example.
    """

    def __init__(self, templates: Sequence[Template], converters: Converters | None) -> None:
        self._converters, self.views = converters, 0
        self._judged: dict[tuple[Family, str], dict[str, dict[str, str]]] = {}
        self.found = defaultdict[tuple[str, bool], defaultdict[str, dict[str, str]]](lambda: defaultdict(dict))
        self.unable = defaultdict[str, dict[str, str]](dict)
        for plain in (PLAIN, BESIDE):
            for name, faults in self._judge(templates, form_of(plain), tools=True).items():
                self.unable[name] |= faults
        self._templates: dict[Family, list[Template]] = {FAMILIES["any"]: [], FAMILIES["mistral"]: []}
        for template in templates:
            self._templates.setdefault(self._family(template), []).append(template)

    def _family(self, template: Template) -> Family:
        """Return "no-system" or "no-tools" if the template cannot render these, else the family by the model's name."""
        unable = {fault for server in SERVERS for fault in self.unable.get(f"{template.name}, {server}", ())}
        if not template.takes_system:
            return FAMILIES["no-system"]
        if unable & {"raises", "loses call", "loses result"}:
            return FAMILIES["no-tools"]
        return family_of(template.name.partition("/")[2])

    def _judge(self, templates: Sequence[Template], form: Form, *, tools: bool) -> dict[str, dict[str, str]]:
        found = self._converters.judge(form, tools=tools) if self._converters else {}
        for template in templates:
            for server in SERVERS:
                if faults := judge(template, server, form, tools=tools):
                    found[f"{template.name}, {server}"] = faults
        return found

    def add(self, view: View) -> None:
        """Render a view's requests with all templates of their families, and count the faults."""
        self.views += 1
        shown = words_of(sendable(view.memory.messages(QUESTION)))
        for family, templates in self._templates.items():
            try:
                request = view.request(family)
            except Exception as error:  # noqa: BLE001 - this is what is looked for
                self.found[view.strategy, view.tools]["no request"][repr(error)] = view.label
                continue
            if words := shown - words_of(request):
                self.found[view.strategy, view.tools]["loses words before any template"][""] = f"{words}: {view.label}"
            form = form_of(request)
            key = family, json.dumps([form.messages, view.tools])
            if key not in self._judged:
                self._judged[key] = self._judge(templates, form, tools=view.tools)
            for name, faults in self._judged[key].items():
                if name.startswith("mistral-common") and family != FAMILIES["mistral"]:
                    continue
                unable = self.unable.get(name, {}) if view.tools and not family.calls_as_text else {}
                for fault in faults.keys() - unable.keys():
                    self.found[view.strategy, view.tools][fault].setdefault(name, f"{faults[fault]} - {view.label}")

    @property
    def forms(self) -> int:
        """The number of distinct forms so far."""
        return len(self._judged)


def main(
    strategies: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(OPTIONS)}; all by default.")] = None,
    cache: Annotated[Path, typer.Option(help="Where the packages with the templates are kept.")] = CACHE,
    converters: Annotated[Path | None, typer.Option(help="A Python that has the open converters.")] = None,
    examples: Annotated[bool, typer.Option(help="Name each template, with an example.")] = True,  # noqa: FBT002
) -> None:
    """Count the faults of templates and converters with memories' requests; the exit code is 1 if there are any."""
    console = Console(soft_wrap=True, highlight=False, markup=False)
    given = [Template(*one) for one in fetch(cache).items()]
    talk = form_of([said("user", "a question"), said("assistant", "an answer"), said("user", "another")])
    unfit = [one for one in given if any(judge(one, server, talk, tools=False) for server in SERVERS)]
    console.print(f"{len(given) - len(unfit)} templates; these render no talk: {', '.join(one.name for one in unfit)}")
    count = Count([one for one in given if one not in unfit], Converters(converters) if converters else None)
    for view in views(strategies or list(OPTIONS)):
        count.add(view)
    console.print(f"{count.views} views, {count.forms} forms\n")
    for tools in (False, True):
        named = defaultdict[str, dict[str, str]](dict)
        for strategy, faults in (
            (one, faults) for (one, with_tools), faults in count.found.items() if with_tools is tools
        ):
            told = ", ".join(f"{fault} {len(names)}" for fault, names in sorted(faults.items()))
            console.print(f"{strategy}{' with tools' if tools else ''}: {told}")
            for fault, names in faults.items():
                named[fault] |= {name: f"{example} - {strategy}" for name, example in names.items()}
        for fault, names in sorted(named.items()) if examples else ():
            console.print(f"\n{fault}{' with tools' if tools else ''}:")
            console.print("".join(f"    {name}: {example}\n" for name, example in sorted(names.items())))
    console.print("Of one plain call, these keep less:")
    for fault in sorted({fault for faults in count.unable.values() for fault in faults}):
        names = [name for name, faults in sorted(count.unable.items()) if fault in faults]
        console.print(f"    {fault} {len(names)}: {'; '.join(names)}" if examples else f"    {fault} {len(names)}")
    raise typer.Exit(code=bool(count.found))


if __name__ == "__main__":
    typer.run(main)
