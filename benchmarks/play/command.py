"""The commands `memzoo play` and `memzoo demo`."""

import os
import webbrowser
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memzoo.cli.options import Asked, Stored, command, conversation_option, write
from memzoo.cli.terminal import Terminal, bar, tell
from memzoo.errors import OptionError
from memzoo.hosts.exports.options import HELP, split_choice

if TYPE_CHECKING:
    from memzoo.benchmarks.inputs import Files
    from memzoo.benchmarks.play.playing import Line, Play
    from memzoo.benchmarks.transcripts import Transcript

console, beside = Terminal(), Terminal(stderr=True)

_BUDGET = 1000  # the token limit for the view of a memory that has one
_RULES = "No model is asked: rules stand in for one (see docs/offline-model.md)."


@dataclass(frozen=True)
class Selection:
    """The options for the conversation and memories on the page."""

    transcripts: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files or folders with conversations, - for standard input, or sample:en (the default) and sample:zh, "
            f"the bundled conversations. {HELP}"
        ),
    ] = None
    empty: Annotated[bool, typer.Option("--empty", help="Start with an empty conversation.")] = False
    store: Annotated[str, typer.Option(help="Show a stored conversation, such as one in sqlite:///chat.db.")] = ""
    conversation: Annotated[str | None, conversation_option("Which conversation of the store, if it has several.")] = (
        None
    )
    memories: Annotated[
        list[str] | None,
        typer.Option("--memory", help="A strategy, or name:option=value,...; can be repeated. By default all seven."),
    ] = None


@command("Compare")
def play(
    *,
    selected: Selection,
    asked: Asked,
    html: Annotated[
        Path | None, typer.Option(help="Write the page as one file that needs no server, and exit.")
    ] = None,
) -> None:
    """Watch memories remember a conversation side by side, on a local web page: step through it, type, and ask.

    From a terminal, the page opens in the browser; in a script, the command only prints the address.
    """
    if html:
        _check_place(html)
    from memzoo.benchmarks.inputs import Files

    files = Files(selected.transcripts or ())
    shown = _make(selected, asked, files)
    for error in files.unread:
        tell("[bold red]not read:[/]", error)
    for note in filter(None, (files.repeated, *shown.talk.notes)):
        tell("[yellow]note:[/]", note)
    if asked.model == "offline":
        console.print(f"{_RULES} Use --model to ask one.", markup=False, highlight=False)
    if html:
        with bar("Writing the page") as advance:
            _write_page(shown, html, advance)
        console.print(f"wrote {html}", markup=False, highlight=False)
        return

    from memzoo.benchmarks.play.server import serve  # needs an extra

    def ready(url: str) -> None:
        console.print(f"{url}\nOnly this machine can open it. Press Ctrl-C to stop.", markup=False, highlight=False)
        if console.is_terminal:
            webbrowser.open(url)

    serve(shown, ready)


@command("Compare")
def demo() -> None:
    """Compare the seven memories on the bundled conversation, and open a page that shows them at work. Needs no key.

    Writes its pages into the folder memzoo-demo. In a script, no page is opened.
    """
    from memzoo.benchmarks.comparing import beside_learnt, compare
    from memzoo.benchmarks.progress import watch_progress
    from memzoo.benchmarks.report.writing import table
    from memzoo.benchmarks.transcripts import sample_path
    from memzoo.benchmarks.variants import choose_variants

    out = Path("memzoo-demo")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"{str(out)!r} cannot be made: {error.strerror}") from error
    console.print(f"Comparing all seven on the bundled conversation. {_RULES}", markup=False, highlight=False)
    page = out / "play.html"
    # A second process writes the page during the comparison.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as aside:
        writing = aside.submit(sample_page, page)
        names = [one.name for one in beside_learnt([sample_path()], choose_variants(()))]
        with watch_progress([sample_path()], names, beside) as advance:
            found = compare([sample_path()], (), progress=advance)
        console.print(table(found), highlight=False)
        for path in found.save(out):
            console.print(f"wrote {path}", markup=False, highlight=False)
        beside.print("Writing the page that shows each turn ...", markup=False, highlight=False)
        writing.result()
    console.print(f"wrote {page}: open it to watch them remember", markup=False, highlight=False)
    if console.is_terminal:
        webbrowser.open(page.absolute().as_uri())


def sample_page(file: Path) -> None:
    """Write the page of the bundled conversation, with some of its questions, into a file."""
    from memzoo.benchmarks.inputs import Files

    _write_page(_make(Selection(), Asked(), Files(())), file)


def _check_place(file: Path) -> None:
    """Raise an error for a file that cannot be written, before model calls for the page cost money."""
    if file.is_dir() or not os.access(file if file.exists() else file.absolute().parent, os.W_OK):
        raise OptionError(f"{str(file)!r} cannot be written: name a file in an existing folder")


def _write_page(shown: "Play", file: Path, advance: Callable[[int, int | None], None] | None = None) -> None:
    from memzoo.benchmarks.play.page import page

    lines: list[Line] = []
    for line in shown.lines():
        lines.append(line)
        if advance:
            advance(len(lines), len(shown.talk.exchanges))
    write(file, [page([*lines, *shown.ask_known()])])


def _make(selected: Selection, asked: Asked, files: "Files") -> "Play":
    from memzoo.benchmarks.comparing import in_place_of_rules
    from memzoo.benchmarks.measure.settings import Settings
    from memzoo.benchmarks.play.playing import Play
    from memzoo.benchmarks.play.stored import read_talk
    from memzoo.benchmarks.results import OFFLINE
    from memzoo.benchmarks.variants import check_variants, choose_variants
    from memzoo.memories.text.tokens import token_counter

    variants = choose_variants(selected.memories or ())
    check_variants(variants, [_BUDGET])
    for name in sorted({one.model or asked.model for one in variants} | {asked.model}):
        asked.check(name)
    if sum(map(bool, (selected.transcripts, selected.store, selected.empty))) > 1:
        raise OptionError("give only one of files, --store and --empty: the page shows one conversation")
    settings = Settings(
        model=asked.model,
        make_model=asked.make_named,
        budgets=[_BUDGET],
        counter=token_counter(None, asked.model).chosen,
    )
    if selected.conversation and not selected.store:
        raise OptionError("--conversation needs --store; to choose one in a file, write FILE:title=TEXT")
    if not selected.store:
        talk = _conversation(selected, files)
        if asked.model == OFFLINE:
            variants = in_place_of_rules([talk], variants)
        return Play(talk, variants, settings)
    with Stored(selected.store, selected.conversation).open_conversation() as (store, id_):
        talk, kept = read_talk(store, id_)
    return Play(talk, variants, settings, stored=kept)


def _conversation(selected: Selection, files: "Files") -> "Transcript":
    """Return the conversation whose title is the chosen text, or else the longest of those chosen."""
    from memzoo.benchmarks.transcripts import Transcript

    if selected.empty:
        return Transcript("A new conversation", ())
    found = list(files())
    titles = {split_choice(one)[1].title for one in selected.transcripts or ()}
    found = [talk for talk in found if talk.title in titles] or found
    longest = max(found, key=lambda talk: len(talk.exchanges), default=None)
    if longest is None:
        raise OptionError("there is no conversation in these files")
    if len(found) > 1:
        told = f"Showing the longest of {len(found)} conversations, {longest.title!r}; FILE:title=TEXT chooses another."
        console.print(told, markup=False, highlight=False)
    return longest
