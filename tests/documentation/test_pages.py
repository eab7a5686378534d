"""The pages of the site: what they show is as the code is, what they run runs, every link leads somewhere."""

import ast
import os
import re
import runpy
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memzoo import errors
from memzoo.hosts.telemetry import stop_reporting
from memzoo.memories import STRATEGIES
from memzoo.memories.strategies.named import further_names, strategy_named
from tests.documentation import generated, measured, option_types, picture, plain, screenshot, spans
from tests.documentation.links import broken
from tests.documentation.running import with_outputs

DOCS = generated.DOCS


def named(page: Path) -> str:
    """A page in the name of a test."""
    return page.relative_to(generated.ROOT).as_posix().removeprefix("docs/")


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files are made in a folder of the test, there is no key, and OpenTelemetry is told nothing afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    yield
    stop_reporting()


def test_each_class_has_a_page() -> None:
    """Every strategy has a page, called like its class."""
    classes = {strategy_named(name).__name__ for name in (*STRATEGIES, *further_names())}
    assert {page.stem for page in generated.class_pages()} == classes


@pytest.mark.parametrize("page", generated.class_pages(), ids=named)
def test_class_pages_tell_the_same_things(page: Path) -> None:
    """Each page about a class has these headings, in this order."""
    found = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert found == generated.HEADINGS


@pytest.mark.parametrize("page", generated.pages(), ids=named)
def test_generated_blocks_are_up_to_date(page: Path) -> None:
    """Options, prompts, views and how to install are as they have to be; `make pages` writes them anew."""
    assert generated.rewritten(page) == page.read_text(encoding="utf-8")


def test_the_types_of_options_are_up_to_date() -> None:
    """Editors are told of the options that there are; `make pages` writes them anew."""
    assert option_types.text() == option_types.FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", generated.class_pages(), ids=named)
def test_pictures_are_up_to_date(page: Path) -> None:
    """Each picture is what the class shows; `make pages` draws it anew."""
    assert picture.svg(page.stem) == page.with_suffix(".svg").read_text(encoding="utf-8")


def test_the_picture_of_the_page_says_what_it_was_drawn_from() -> None:
    """README's picture has a digest of what the page showed, by which `make pages` tells whether to draw it anew."""
    png = screenshot.FILE.read_bytes()
    drawn_from = screenshot.source_of(png)
    assert re.fullmatch(r"[0-9a-f]{64}", drawn_from)
    bare = png[:33] + png[33 + 4 + 4 + len("Drawn-from") + 1 + 64 + 4 :]  # what Chromium gave
    assert screenshot.source_of(bare) == ""
    assert screenshot.with_source(bare, drawn_from) == png


def test_figures_are_up_to_date() -> None:
    """The figures of the pages are those of a comparison made now; of two quick memories, and of the baselines."""
    assert measured.measured_now(["window", "summary-buffer"]).items() <= measured.stored().items()


@pytest.mark.parametrize("page", generated.running_pages(), ids=named)
def test_snippets_run_and_print_what_is_shown(page: Path) -> None:
    """The Python blocks of a page run one after another without a key, and print the text behind them."""
    text = page.read_text(encoding="utf-8")
    assert with_outputs(text, page.name) == text


@pytest.mark.parametrize(
    "page", [generated.ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.stem
)
def test_calls_in_backticks_are_taken(page: Path) -> None:
    """A public name takes the arguments that a page gives it in a sentence or a table, and makes what it says."""
    found = list(spans.calls(page.read_text(encoding="utf-8")))
    assert [ast.unparse(call) for call in found if spans.misfit(call)] == []
    within = [node for call in found for node in ast.walk(call) if node is not call]
    for call in found:
        if call in within:
            continue
        try:
            made = spans.make(call)
        except errors.MissingExtraError as error:
            pytest.skip(str(error))
        if callable(close := getattr(made, "close", None)):
            close()


def test_every_page_is_listed_for_machines() -> None:
    """`llms.txt` lists all pages by their titles, and as Markdown each has what the site shows in place of includes."""
    listed = re.findall(r"^- \[(.+)\]\((.+)\)$", plain.listed(), re.MULTILINE)
    assert {file for _, file in listed} == {named(page) for page in DOCS.rglob("*.md")}
    assert ("ConversationBufferMemory without LangChain", "memories/ConversationBufferMemory.md") in listed
    prompts = plain.plain(DOCS / "reference" / "prompts.md")
    assert (generated.ROOT / "prompts" / "summary.jinja").read_text(encoding="utf-8").strip() in prompts
    assert [page for page in DOCS.rglob("*.md") if "--8<--" in plain.plain(page)] == []


def test_troubleshooting_has_every_error() -> None:
    """Each error stands on the page that says what to do about it."""
    page = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    assert [name for name in errors.__all__ if f"`{name}`" not in page] == []


@pytest.mark.filterwarnings("ignore")
def test_the_model_that_is_down(capsys: pytest.CaptureFixture[str]) -> None:
    """What LangChain and memzoo keep when the model is down is what the page about other libraries says."""
    page = (DOCS / "other-libraries.md").read_text(encoding="utf-8")
    program, printed = re.findall(r"^```(?:py|text)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    exec(compile(program, "other-libraries.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("program", sorted((DOCS / "examples").glob("*.py")), ids=named)
def test_examples_run(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each program runs as it stands without a key, and prints what its first lines say."""
    expected = re.findall(r"^#   (.*)$", program.read_text(encoding="utf-8"), flags=re.MULTILINE)
    runpy.run_path(str(program), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == expected


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    """Each link to a page, a heading or a file leads to one."""
    assert broken(page) == []


@pytest.mark.timeout(0)  # however busy the machine is
@pytest.mark.skipif(shutil.which("zensical") is None, reason="needs the extra 'docs'; `make docs` builds the site")
def test_the_site_builds() -> None:
    """The site is built without a warning."""
    shutil.copytree(generated.ROOT, "copy", symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv*", "site"))
    command = ["zensical", "build", "--clean", "--strict"]
    done = subprocess.run(command, cwd="copy", capture_output=True, text=True, check=False, env=dict(os.environ))
    assert (done.returncode, Path("copy/site/index.html").exists()) == (0, True), done.stdout + done.stderr
