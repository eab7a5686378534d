"""What is written is plain YAML that gives back the value, and the recordings of this project are written like that."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from multidict import istr

from memzoo.cassettes.yaml_text import dump, load

RECORDINGS = sorted((Path(__file__).parents[2] / "cassettes").rglob("*.yaml"))
AWKWARD = " \t\n\r-:#ab\"'\\|>%@`é\x85\u2028\u2029\x01\x1b\x7f\ufeff\U0001f600中{}[]?!&*=<\U0010ffff~0.1yesno"
WORDS = "yes null false 1.5 2020-01-01 = << ~ --- 0x1F 1e5 .5 on a: #b a# a:b".split()
TEXTS = (
    st.text(st.sampled_from(AWKWARD), max_size=30)
    | st.text(max_size=20)
    | st.sampled_from([*WORDS, "", "\n", " \n", "a\n", "a\n\n", "a: b", "a #b", "- a", "x" * 122, "x" * 130, "x " * 62])
)
VECTORS = st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=30, max_size=40)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
    | st.binary(max_size=90),
    lambda children: (
        st.lists(children, max_size=4)
        | st.dictionaries(TEXTS, children, max_size=4)
        | children.map(lambda child: {"twice": [child, child], "again": child, "long": ["y" * 70, child, "z" * 70]})
        | VECTORS
    ),
    max_leaves=12,
)


@given(VALUES, st.booleans())
def test_any_value_is_read_as_it_was_written(value: Any, compact: bool) -> None:  # noqa: FBT001
    """Whatever the value is, and wherever it stands."""
    for document in ({"v": value}, [value], {"list": [{"v": value}, value]}):
        assert load(dump(document, compact=compact)) == document


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recordings_stay_as_they_are(path: Path) -> None:
    """Each recording of the newest format is written again byte for byte."""
    text = path.read_text(encoding="utf-8")
    title, document = text.splitlines(keepends=True)[0], load(text)
    assert title + dump(document, compact=True) == text or document["version"] == 1


@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader])
def test_any_reader_reads_it(loader: Any) -> None:
    """What is written twice only once, and texts of all kinds, are plain YAML for other kits."""
    document = {"texts": [*WORDS, "a\n\tb \n", "x" * 130, "x" * 130], "more": {"": None, "a\nb": [1, 2.5, True]}}
    assert yaml.load(dump(document, compact=True), Loader=loader) == document  # noqa: S506 - safe ones


@pytest.mark.parametrize("how", ["apply", "new"])
def test_names_of_headers_from_aiohttp(how: str) -> None:
    """They are texts, though vcrpy writes them with the type that aiohttp gives them; a damaged one is refused."""
    written = yaml.dump({istr("Accept"): ["a"]}).replace("/apply:", f"/{how}:")
    (name,) = load(written)
    assert (name, type(name)) == ("Accept", str)
    with pytest.raises(ValueError, match=r"not plain YAML|unpack"):
        load(written.replace("- Accept", "- Accept\n- more"))
