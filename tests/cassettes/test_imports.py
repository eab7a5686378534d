"""The kit without its extra."""

import subprocess
import sys
from pathlib import Path

import pytest

from memzoo.cassettes import use_cassette
from memzoo.stores.errors import MissingExtraError


def test_import_needs_no_extra() -> None:
    """The package imports where vcrpy, PyYAML and pytest are absent, and imports none of them early."""
    code = (
        "import sys; absent = ['vcr', 'yaml', 'pytest', '_pytest'];"
        "sys.modules.update(dict.fromkeys(absent)); import memzoo.cassettes as kit;"
        "print(kit.use_cassette.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "use_cassette\n"


@pytest.mark.parametrize("absent", ["vcr", "vcr.record_mode"])
def test_use_names_the_extra(absent: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening a cassette without vcrpy tells what to install, and leaves nothing open."""
    monkeypatch.setitem(sys.modules, absent, None)
    for _ in range(2):
        with pytest.raises(MissingExtraError, match=r"Replaying cassettes needs .*pip install 'memzoo\[replay\]'"):
            use_cassette(path, record="once").__enter__()


def test_recordings_of_this_project() -> None:
    """No recording of this project has a secret, is too large, or does not load."""
    from memzoo.cassettes import ReadableSerializer
    from memzoo.cassettes.keys import Keys
    from memzoo.cassettes.settings import MAX_BYTES

    for file in (Path(__file__).parents[2] / "cassettes").rglob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        assert Keys().spans(text) == []
        assert "__cf_bm" not in text
        assert len(text.encode()) <= MAX_BYTES
        assert ReadableSerializer().deserialize(text)["metadata"]["recorder"] == "memzoo.cassettes"
