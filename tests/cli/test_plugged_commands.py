"""Commands that installed packages add, by the entry points `memzoo.commands`."""

import functools
import subprocess
import sys
from pathlib import Path

import pytest

from tests.in_turn import Ran, run_in_turn

MODULE = '''
import asyncio
import warnings
import typer

async def wait(name: str = "you") -> int:
    """Say hello later."""
    await asyncio.sleep(0)
    print(f"Hello {name}, at last!")
    return 3

group = typer.Typer()
group.command("wait")(wait)

@group.callback()
async def begin() -> None:
    """Greetings."""
    await asyncio.sleep(0)
    print("Ahem.")

nothing = "no command"

def unclear(what: int | str) -> None:
    """Take what no command line can say."""

def greet(name: str = "you") -> None:
    """Say hello."""
    print(f"Hello {name}!")

def warn() -> None:
    """Warn."""
    warnings.warn("something is\\x1b odd", stacklevel=1)
'''
POINTS = """[memzoo.commands]
greet = greeting_command:greet
wait = greeting_command:wait
group = greeting_command:group
broken = no_such_module:app
text = greeting_command:nothing
unclear = greeting_command:unclear
list = greeting_command:greet
warn = greeting_command:warn
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package that adds a command, and one that cannot be loaded."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "greeting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    (folder / "greeting_command.py").write_text(MODULE, encoding="utf-8")
    return folder


@functools.cache
def commands(site: Path) -> dict[str, Ran]:
    """Run all commands where the packages are installed."""
    greeted = ("greet --name Anna", "wait --name Anna", "group wait --name Anna")
    return run_in_turn(
        "list", "--help", "broken", "text", "unclear", "warn", *greeted, cwd=site, environment={"PYTHONPATH": str(site)}
    )


def memzoo(site: Path, *arguments: str) -> Ran:
    """The outcome of one of the commands."""
    return commands(site)[" ".join(arguments)]


def test_a_package_adds_a_command(site: Path) -> None:
    """It is called and listed like those of memzoo."""
    assert memzoo(site, "greet", "--name", "Anna").output == "Hello Anna!\n"
    assert "Say hello." in memzoo(site, "--help").output


def test_a_command_that_cannot_be_loaded_stops_no_other(site: Path) -> None:
    """It says what is wrong when it is called; the help and the other commands work."""
    failed = memzoo(site, "broken")
    assert failed.code == 2
    assert "the package 'greeting' adds 'broken' to memzoo.commands, which cannot be loaded" in failed.errors
    assert memzoo(site, "--help").code == 0
    assert memzoo(site, "list").code == 0


@pytest.mark.parametrize("name", ["text", "unclear"])
def test_what_is_no_command_stops_no_other(site: Path, name: str) -> None:
    """It says that it is none when it is called, and names the package."""
    failed = memzoo(site, name)
    [line] = failed.errors.splitlines()[-1:]
    assert failed.code == 2
    assert f"the package 'greeting' adds {name!r} to memzoo.commands, which is neither a function nor" in line
    assert memzoo(site, "--help").code == 0


def test_a_command_of_memzoo_stays(site: Path) -> None:
    """A package that adds one of the same name replaces nothing, and one warning names both."""
    listed = memzoo(site, "list")
    assert "ConversationBufferMemory" in listed.output
    assert listed.errors == (
        "'list' in memzoo.commands: greeting_command:greet of the package 'greeting' is ignored, "
        "because memzoo.cli.zoo:list_known of the package 'memzoo' is used\n"
    )


def test_a_warning_is_one_line(site: Path) -> None:
    """Without its place in the code, and with control characters escaped."""
    warned = memzoo(site, "warn")
    assert (warned.code, warned.errors.splitlines()[-1]) == (0, r"warning: something is\u001b odd")


@pytest.mark.parametrize(("arguments", "before"), [(["wait"], ""), (["group", "wait"], "Ahem.\n")])
def test_an_asynchronous_command_is_awaited(site: Path, arguments: list[str], before: str) -> None:
    """It runs to its end like any other, in a group of a package too; what it returns is the exit code."""
    done = memzoo(site, *arguments, "--name", "Anna")
    assert (done.output, done.code) == (f"{before}Hello Anna, at last!\n", 3)
    assert "never awaited" not in done.errors


def test_a_command_loads_only_what_it_needs() -> None:
    """Who serves a memory to assistants does not wait for the comparison and the chat."""
    code = (
        "import sys\nfrom memzoo.cli.commands import app\n"
        "try:\n    app(['mcp', '--help'], standalone_mode=False)\nexcept SystemExit:\n    pass\n"
        "print([one for one in ('memzoo.benchmarks.command', 'memzoo.cli.chat') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("[]")
