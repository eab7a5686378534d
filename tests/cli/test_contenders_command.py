"""`memzoo compare --with`: memories of other libraries, from the command line."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memzoo.benchmarks.contenders import environments, known, process
from tests.cli.conftest import Command, Ran

Compare = Callable[..., Ran]

CODE = """# /// script
# dependencies = {requires}
# [tool.memzoo.ways]
# newest = {{about = "the newest messages"}}
# ///
import os


class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix):
        self.said = []

    def save(self, messages, said_at):
        self.said += messages

    def view(self, question):
        {view}
        return self.said
"""


def write(name: str, view: str = "", requires: tuple[Path, ...] = ()) -> str:
    """Write an adapter of the newest messages into the current folder, with a line of its `view` and with packages."""
    code = CODE.format(requires=json.dumps(list(map(str, requires))), view=view)
    Path(name).write_text(code, encoding="utf-8")
    return name


@pytest.fixture
def compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Compare:
    """Compares a short conversation with the arguments given, in an empty folder, without environments."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(environments.FOLDER, str(tmp_path / "made"))
    messages = [{"role": "user", "content": "My cat is called Tom."}, {"role": "assistant", "content": "Fine."}]
    question = {"question": "What is my cat called?", "answer": "Tom", "evidence": [0]}
    Path("talk.json").write_text(json.dumps({"messages": messages, "questions": [question]}), encoding="utf-8")
    return lambda *more: command("compare", "talk.json", "--memory", "window", "--out", "out", *more)


def rows(ran: Ran) -> dict[str, str]:
    """The errors of the rows, by name, of a comparison that ran."""
    assert ran.output, ran
    found = json.loads(Path("out/results.json").read_text(encoding="utf-8"))["rows"]
    return {row["memory"]["name"]: row.get("error", "") for row in found}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("nobody", "there is no contender 'nobody'; there are "),
        ("bm25s/", "--with 'bm25s/' is not NAME, NAME/WAY or NAME/WAY:option=value,..."),
        ("bm25s/nowhere", "the contender 'bm25s' has no way 'nowhere'; it has exchanges"),
        ("bm25s:k=2", "--with 'bm25s:k=2': options need a way, such as bm25s/exchanges"),
        ("bm25s,,byheart", "--with '' is not NAME, NAME/WAY or NAME/WAY:option=value,..."),
        ("missing.py", "the adapter 'missing.py' cannot be read: "),
        ("bm25s", "the contender 'bm25s' has no environment yet; add --install"),
        ("own.py/newest:k=2", "got an unexpected keyword argument 'k'; it gets "),
    ],
)
def test_a_contender_that_cannot_run_is_told_first(given: str, told: str, compare: Compare) -> None:
    """One error that names it, and nothing is run or written."""
    write("own.py")
    ran = compare("--with", given)
    assert (ran.code, ran.output) == (2, "")
    assert told in ran.errors, ran
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("# /// script", "# script", "has no header between '# /// script' and '# ///'"),
        ("[tool.memzoo.ways]", "[tool.memzoo]", "has a wrong header: tool.memzoo.ways: Field required"),
        ('{about = "the', '{shows = "the', "has a wrong header: tool.memzoo.ways.newest.about: Field required"),
        ('about = "the', "about = the", "has a wrong header: Invalid value (at line 3, column 19)"),
    ],
)
def test_a_wrong_head_is_told(old: str, new: str, told: str, compare: Compare) -> None:
    """The error names the file and the place in its head."""
    code = Path(write("own.py")).read_text(encoding="utf-8")
    assert old in code
    Path("own.py").write_text(code.replace(old, new, 1), encoding="utf-8")
    ran = compare("--with", "own.py")
    assert (ran.code, ran.output) == (2, "")
    assert f"the adapter 'own.py' {told}" in ran.errors, ran


@pytest.mark.parametrize(
    ("view", "told"),
    [
        ("os._exit(3)", "ended with exit code 3 at 'view'"),
        ("import time; time.sleep(60)", "did not answer 'view' within 2 seconds"),
        ("assert not question.startswith('What'), 'not this'", "failed at 'view': AssertionError: not this"),
        ("return [{'role': 'user', 'content': {question}}]", "failed at 'view': TypeError: "),
        ("return question", "view must return a list of "),
        ("return [{'role': 'nurse', 'content': ''}]", "role must be one of system, user, assistant, tool in message 1"),
        ("return [*self.said[:1], {'role': 'user', 'content': None}]", "content must be a string in message "),
        ("return [{'role': 'tool', 'content': '42'}]", "tool_call_id is missing in message 1, {'role': 'tool'"),
    ],
)
def test_a_contender_that_fails_has_its_error_in_its_row(
    view: str, told: str, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Death, an endless loop, an error at one of the loads, and a view in another form: all others are compared."""
    monkeypatch.setattr(process, "_PATIENCE", 2.0)
    ran = compare("--with", write("own.py", view), "--jobs", "1")
    assert ran.code == 1
    errors = rows(ran)
    assert list(errors) == ["none", "window", "own/newest", "everything"]
    assert told in errors.pop("own/newest")
    assert set(errors.values()) == {""}


def test_a_contender_may_print(compare: Compare) -> None:
    """Lines on its standard output, also past Python, are not taken for answers."""
    noise = "print('{\"messages\": 1}'); os.write(1, b'{}\\n'); os.system('echo []')"
    ran = compare("--with", write("own.py", noise))
    assert (ran.code, set(rows(ran).values())) == (0, {""})


def test_contenders_stand_beside_each_other(compare: Compare) -> None:
    """Names with commas between them and repeated options add rows; the same contender twice is one row."""
    both = f"{write('own.py')},{write('other.py')}"
    ran = compare("--with", both, "--with", "own.py/newest")
    assert (ran.code, list(rows(ran))) == (0, ["none", "window", "own/newest", "other/newest", "everything"])


def wheel(version: str) -> Path:
    """A package `pet` of a version, as a wheel in the current folder."""
    file = Path(f"pet-{version}-py3-none-any.whl").absolute()
    about, record = f"pet-{version}.dist-info", f"pet-{version}.dist-info/RECORD"
    parts = {
        "pet.py": f"VERSION = '{version}'\n",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: pet\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: none\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        archive.writestr(record, "".join(f"{name},,\n" for name in (*parts, record)))
    return file


def test_environments_are_made_on_demand(compare: Compare) -> None:
    """Two contenders have two versions of a package in one run; the list and the next run find what was made."""
    shows = "import pet; return [{'role': 'user', 'content': 'My cat is called ' + pet.VERSION}]"
    for version in ("1.0", "2.0"):
        write(f"own{version[0]}.py", shows, (wheel(version),))
    ran = compare("--with", "own1.py,own2.py", "--install")
    assert (ran.code, set(rows(ran).values())) == (0, {""})
    assert ran.errors.count("pip installs") == 2
    [asked] = json.loads(Path("out/results.json").read_text(encoding="utf-8"))["questions"]
    shown = {name: budgets["1000"]["shown"][0][1] for name, budgets in asked["memories"].items() if "own" in name}
    assert shown == {f"own{version}/newest": f"My cat is called {version}.0" for version in "12"}
    weight, packages = environments.weigh(known.find_adapter("own1.py"))
    assert (0 < weight < 1e-3, packages) == (True, 1)

    assert compare("--with", "own1.py,own2.py").code == 0
    assert "pip installs" not in compare("--with", "own1.py,own2.py", "--install").errors


def test_an_environment_that_cannot_be_made_is_told(compare: Compare) -> None:
    """Packages that clash end with pip's words, and nothing is left that passes for an environment."""
    name = write("own.py", "", (wheel("1.0"), wheel("2.0")))
    ran = compare("--with", name, "--install")
    assert ran.code == 2
    assert "the environment of 'own' could not be made: " in ran.errors
    assert "conflicting" in ran.errors.lower()
    assert "has no environment yet" in compare("--with", name).errors


def test_contenders_are_listed(compare: Compare) -> None:
    """One way a line, with what it needs, and whether that is there."""
    assert compare("--with", write("own.py")).code == 0
    ran = compare("--contenders")
    ways = dict(line.split("\t", 1) for line in ran.output.splitlines())
    assert ways["bm25s/exchanges"].startswith("not installed\tbm25s==")
