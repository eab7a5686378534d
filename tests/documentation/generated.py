"""What the pages show of the code: a block on a page between `<!-- generated: NAME -->` and `<!-- end -->`.

A page about a class is called like the class; `{class}` stands for it below. `make pages` writes all blocks anew, and a
test holds each against what it would be.
"""

import dataclasses
import html
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import memzoo
from memzoo.hosts.exports.forms import known_forms
from memzoo.memories import BaseMemory
from memzoo.memories.graph.relations import SINGLE_VALUED
from memzoo.memories.options import meanings
from memzoo.memories.text.families import FAMILIES, Family
from memzoo.memories.text.order import FOLLOWS, STAND_INS
from memzoo.prompts import PROMPTS, PromptSet
from memzoo.strategy import ModelBackedMemory
from tests.documentation import embedded, measured, picture
from tests.documentation.talk import QUESTION, TALK, shown_at_the_end

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"

HEADINGS = [
    "What it shows",
    "A worked dialogue",
    "When to use it",
    "When not to",
    "What it costs",
    "What can go wrong",
    "From LangChain, line by line",
    "Options",
]
"""What each page about a class tells, in this order."""

_RUNNING = (
    *("index.md", "what-a-memory-is.md", "tutorial.md", "choosing.md", "memories/index.md", "conversation.md"),
    *("data.md", "graph.md", "mcp.md", "offline-model.md", "serving.md", "telemetry.md", "users.md"),
)
_BLOCK = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
# Of memzoo, an extra of it, or a copy: not of what is only called like it.
_INSTALL = re.compile(r"pip install '?(?:memzoo|\.)(\[[\w,-]+\])?'?(?=[`\s])")
_KNOWN_BEST = ("lives in", "works at", "costs", "is married to")
_DEFAULTS = {
    "store": "in memory",
    "conversation_id": "a fresh one",
    "index": "`ExactIndex()`",
    "clock": "`time.time`",
    "single_valued": "`SINGLE_VALUED` of `memzoo.memories.graph.relations`: "
    + ", ".join(f"`{relation.strip()}`" for relation in sorted(SINGLE_VALUED) if relation in _KNOWN_BEST)
    + ", ...",
}
"""What a default is, where Python's own words for it are of no use."""


def rewritten(page: Path) -> str:
    """The text of a page with each block, and each line that installs memzoo, as it has to be."""

    def block(found: re.Match[str]) -> str:
        return f"{found[1]}\n{BLOCKS[found[2]](page.stem).strip()}\n\n{found[3]}"

    return _INSTALL.sub(_install_line, _BLOCK.sub(block, page.read_text(encoding="utf-8")))


def published() -> bool:
    """Whether a package index has memzoo: `install_from` in mkdocs.yml says so, and all pages follow (`make pages`)."""
    return "  install_from: memzoo\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def _install_line(found: re.Match[str]) -> str:
    place, extra = "memzoo" if published() else ".", found[1] or ""
    return f"pip install '{place}{extra}'" if extra else f"pip install {place}"


def class_pages() -> list[Path]:
    """The pages about classes."""
    return [page for page in sorted((DOCS / "memories").glob("*.md")) if page.stem != "index"]


def running_pages() -> list[Path]:
    """The pages whose Python blocks run one after another, and may show what they print."""
    return [*class_pages(), *sorted((DOCS / "migrate").glob("*.md")), *(DOCS / name for name in _RUNNING)]


def pages() -> list[Path]:
    """All pages that have a block, or say how to install memzoo."""
    texts = {page: page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]}
    return [page for page, text in texts.items() if _BLOCK.search(text) or _INSTALL.search(text)]


def install(page: str) -> str:
    """How to install memzoo, for a page on which one begins."""
    extra = "[replay]" if page == "tutorial" else ""
    first = "Install it" if published() else "Install it from a copy of the repository"
    return f"{first}, with Python 3.11 or newer:\n\n```sh\npip install 'memzoo{extra}'\n```"


def uvx(_: str) -> str:
    """How to start the MCP server without installing it."""
    args = '"args": ["--from", "memzoo[mcp]", "memzoo", "mcp"]'
    return f'Or let `uvx` fetch it: `"command": "uvx", {args}`.' if published() else ""


def options(name: str) -> str:
    """What a class has beside the options of others, its own first, with defaults and meaning, and its prompts."""
    cls = class_named(name)
    own, bases = inspect.get_annotations(cls), [base for base in _TOLD if issubclass(cls, base)]
    told = {field.name for base in bases for field in _options_of(base)}
    fields = [field for field in _options_of(cls) if field.name not in told]
    table = _table(cls, sorted(fields, key=lambda field: field.name not in own)) + "\n\n" if fields else ""
    said = f"It{' also' * bool(fields)} has {' and '.join(_TOLD[base] for base in bases)}."
    names = dict.fromkeys(_asked_by(cls))
    asked = ", ".join(f"[`{one}`](../reference/prompts.md#{one})" for one in names)
    return f"{table}{said}" + (f" Its prompts: {asked}." if asked else "")


def shared_options(_: str) -> str:
    """The options that every class has, with defaults and meaning."""
    return _table(BaseMemory, _options_of(BaseMemory))


def window_options(_: str) -> str:
    """The options of every window over messages, with defaults and meaning."""
    return _table(_WINDOW, _further(_WINDOW))


def order(_: str) -> str:
    """Which messages may follow which in a request, and the short messages between those that must not meet."""
    said = {"start": "the beginning", "answer": "an answer", "calls": "calls of tools", "result": "results of tools"}
    said |= {"system": "the system message", "user": "a user message", "end": "the end"}
    rows = [f"| {said[before]} | {' or '.join(said[one] for one in then)} |" for before, then in FOLLOWS.items()]
    stands = [f"`{message['content']}` as {said[kind]}" for kind, message in STAND_INS.items()]
    table = "\n".join(["| after | may come |", "|---|---|", *rows])
    return f"{table}\n\nThe short messages are {' and '.join(stands)}."


def exports(_: str) -> str:
    """The formats of conversations in files, in the order of their names."""
    lines = ["| format | details | how to get it |", "|---|---|---|"]
    for form in sorted(known_forms(), key=lambda form: form.name.lower()):
        read = "" if callable(form.read) else f"; {form.read}"
        cells = (form.name, f"{form.known}{read}", form.get)
        lines.append(f"| {' | '.join(html.escape(one, quote=False).replace('*', '&#42;') for one in cells)} |")
    return "\n".join(lines)


def families(_: str) -> str:
    """The families of endpoints, with what each demands beyond the order."""
    default = Family()
    told: dict[str, Callable[[Any], str]] = {
        "system_role": lambda role: (
            f"the system text as `{role}`" if role else "the system text in the first user message"
        ),
        "call_ids": lambda form: f"ids of calls in the form `{form}`; others are rewritten",
        "parallel_calls": lambda _: "calls side by side follow each other, each with its result",
        "calls_as_text": lambda _: "calls and results told in words",
        "returns": lambda members: f"back as it was sent: {', '.join(f'`{one}`' for one in sorted(members))}",
        "missing_thoughts": lambda text: f"`{text}` for thoughts that a message does not have",
        "missing_signature": lambda text: f"`{text}` for a signature that a call does not have",
        "thoughts_in_words": lambda _: "else thoughts as `<think>` before the words",
    }
    rows = list[str]()
    for name, family in FAMILIES.items():
        other = [tell(value) for key, tell in told.items() if (value := getattr(family, key)) != getattr(default, key)]
        rows.append(f"| `{name}` | {'; '.join(other) or 'nothing more'} |")
    return "\n".join(["| family | what it gets |", "|---|---|", *rows])


def all_prompts(_: str) -> str:
    """Every prompt that there is."""
    return "\n\n".join(f"## `{name}`\n\n{_prompt(name)}" for name in PROMPTS)


def costs(name: str) -> str:
    """What a class costs and needs, from its docstring and by measurement."""
    text = inspect.getdoc(class_named(name)) or ""
    found = re.findall(r"^(Costs|Needs): (.+)$", text, re.MULTILINE)
    lines = "  \n".join(f"**{key}:** {line}" for key, line in found)
    return f"{lines}\n\n{measured.sentence(class_named(name).name)}"


def comparison(_: str) -> str:
    """What each of the seven costs on the bundled conversation."""
    return measured.table()


def dollars(_: str) -> str:
    """What some memories cost in dollars."""
    return measured.dollars()


def view(name: str) -> str:
    """What the model is shown at the end of the conversation of the pages."""
    said = (f"{message['role']}: {message['content']}" for message in shown_at_the_end(name))
    return "```text\n" + "\n".join(said) + "\n```"


def examples(_: str) -> str:
    """The example programs."""
    programs = sorted((DOCS / "examples").glob("*.py"))
    shown = (f"## {one.name}\n\n```python\n{_included(one)}\n```" for one in programs)
    return "\n\n".join(["<!-- fmt: off -->", *shown, "<!-- fmt: on -->"])


def talk(_: str) -> str:
    """The conversation of the pages."""
    rows = [f"| {number} | {said} | {answer} |" for number, (said, answer) in enumerate(TALK, 1)]
    return "\n".join(["| | user | assistant |", "|---|---|---|", *rows, f"| | {QUESTION} | |"])


def drawn(name: str) -> str:
    """The picture of a class, which lies beside its page, and the page on which one can watch it."""
    watched = embedded.framed(f"../../embedded/{name}.html", f"{name}, turn by turn", "36rem")
    return f"![{picture.described(name)}]({name}.svg)\n\n{watched}"


def played(_: str) -> str:
    """The bundled conversation, to be watched."""
    return embedded.framed("embedded/bakery.html", "Seven memories remember a conversation", "50rem")


def class_named(name: str) -> type[BaseMemory]:
    """A class of memzoo."""
    return getattr(memzoo, name)


BLOCKS: dict[str, Callable[[str], str]] = {
    "examples": examples,
    "install": install,
    "uvx": uvx,
    "options": options,
    "shared-options": shared_options,
    "window-options": window_options,
    "all-prompts": all_prompts,
    "order": order,
    "families": families,
    "exports": exports,
    "costs": costs,
    "view": view,
    "comparison": comparison,
    "dollars": dollars,
    "picture": drawn,
    "play": played,
    "talk": talk,
}


def _asked_by(cls: type[BaseMemory]) -> Iterator[str]:
    """The prompts that a class names where it asks its model, in the order of its methods."""
    for one in reversed([one for one in cls.__mro__ if issubclass(one, ModelBackedMemory)]):
        yield from re.findall(r'\bself\._ask\(\s*"(\w+)"', inspect.getsource(one))


def _prompt(name: str) -> str:
    """Its variables, and the template, which begins with what it is for."""
    variables = ", ".join(f"`{variable}`" for variable in sorted(PromptSet().variables(name)))
    return f"Variables: {variables}.\n\n``` {{ .jinja .prose }}\n{_included(ROOT / 'prompts' / f'{name}.jinja')}\n```"


def _included(file: Path) -> str:
    """A line in whose place the site shows a file."""
    return f'--8<-- "{file.relative_to(ROOT).as_posix()}"'


def default(field: "dataclasses.Field[Any]") -> str:
    """The default of an option."""
    return _DEFAULTS.get(field.name, f"`{field.default!r}`")


def _options_of(cls: "type[Any]") -> "list[dataclasses.Field[Any]]":
    return [field for field in dataclasses.fields(cls) if field.init]


_WINDOW: type[BaseMemory] = memzoo.TokenWindowMemory.__bases__[0]
_TOLD: dict[type[BaseMemory], str] = {
    BaseMemory: "[the options that all share](index.md#options-that-all-share)",
    _WINDOW: "[the options of windows over messages](../windows.md#options-of-these-windows)",
}
"""Where the options of bases are told."""


def _further(cls: type[BaseMemory]) -> "list[dataclasses.Field[Any]]":
    """What a base has beside the options of its own bases."""
    shared = {field.name for base in cls.__bases__ for field in _options_of(base)}
    return [field for field in _options_of(cls) if field.name not in shared]


def _table(cls: type[BaseMemory], fields: "Iterable[dataclasses.Field[Any]]") -> str:
    told = meanings(cls)
    rows = [f"| `{field.name}` | {default(field)} | {_cell(told[field.name])} |" for field in fields]
    return "\n".join(["| option | default | meaning |", "|---|---|---|", *rows])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
