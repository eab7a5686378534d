"""The kit without its extra."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.in_turn import run_in_turn


def test_import_needs_no_extra() -> None:
    """The package imports where vcrpy, PyYAML and pytest are absent, and imports none of them early."""
    code = (
        "import sys; absent = ['vcr', 'yaml', 'pytest', '_pytest'];"
        "sys.modules.update(dict.fromkeys(absent)); import memzoo.cassettes as kit;"
        "print(kit.use_cassette.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "use_cassette\n"


@pytest.mark.parametrize("absent", ["vcr", "yaml"])
def test_use_names_the_extra(absent: str, path: Path) -> None:
    """Opening a cassette without vcrpy or PyYAML tells what to install, and leaves nothing open."""
    code = (
        f"import sys; sys.modules[{absent!r}] = None; import memzoo.cassettes as kit\n"
        "from memzoo.errors import MissingExtraError\n"
        "for _ in range(2):\n"
        f"    try: kit.use_cassette({str(path)!r}, record='once').__enter__()\n"
        "    except MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told = "Replaying cassettes needs the 'replay' extra. Install it with: pip install 'memzoo[replay]'\n"
    assert done.stdout == told * 2


def test_export_names_the_extra() -> None:
    """The export without PyYAML tells what to install."""
    code = (
        "import sys; sys.modules['yaml'] = None\n"
        "from memzoo.cassettes.exporting import export_cassette; export_cassette('a', 'b')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtraError: Replaying cassettes needs the 'replay' extra." in done.stderr


def test_commands_name_the_extra(tmp_path: Path) -> None:
    """Each command without PyYAML tells in a line what to install."""
    (tmp_path / "one.yaml").touch()
    commands = [f"cassettes {given}" for given in ("show .", "show one.yaml", "check .", "export . new")]
    done = run_in_turn(*commands, cwd=tmp_path, before="import sys; sys.modules['yaml'] = None")
    told = "error: Replaying cassettes needs the 'replay' extra. Install it with: pip install 'memzoo[replay]'\n"
    assert {command: (one.code, one.errors) for command, one in done.items()} == dict.fromkeys(commands, (2, told))


def test_recordings_of_this_project() -> None:
    """No recording of this project has a secret, is too large, or does not load."""
    from memzoo.cassettes.format import read_text
    from memzoo.cassettes.secrets import Keys, find_told
    from memzoo.cassettes.settings import MAX_BYTES

    for file in (Path(__file__).parents[2] / "cassettes").rglob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        assert [*Keys().find(text), *find_told(text)] == []
        assert "__cf_bm" not in text
        assert len(text.encode()) <= MAX_BYTES
        assert read_text(text)[0]["recorder"] == "memzoo.cassettes"
