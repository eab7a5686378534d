"""The layout of the files is that of PyYAML's own dumper, to the last byte."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from memzoo.cassettes.compact import is_vector, packed, shared
from memzoo.cassettes.yaml_text import _BLOCK, dump, load  # pyright: ignore[reportPrivateUsage]

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


class Reference(yaml.SafeDumper):
    """PyYAML's dumper, which takes many times as long."""

    names: dict[int, str]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.nodes: dict[int, str] = {}

    def analyze_scalar(self, scalar: str) -> Any:
        """Let a block have tabs, and spaces before a line break."""
        analysis = super().analyze_scalar(scalar)
        analysis.allow_block = "\n" in scalar and _BLOCK.fullmatch(scalar) is not None
        return analysis

    def ignore_aliases(self, data: Any) -> bool:
        """Refer to what has a name only."""
        return id(data) not in self.names

    def represent_data(self, data: Any) -> Any:
        """Remember the names of the nodes."""
        node: Any = super().represent_data(data)  # pyright: ignore[reportUnknownMemberType]
        if id(data) in self.names:
            self.nodes[id(node)] = self.names[id(data)]
        return node

    def generate_anchor(self, node: Any) -> str:
        """Call it by our name."""
        return self.nodes[id(node)]


def text_node(dumper: Any, text: str) -> Any:
    """A text, in a block if it has lines."""
    style = '"' if _BLOCK.fullmatch(text) is None else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def list_node(dumper: Any, items: list[Any]) -> Any:
    """A list, on a line if it has numbers only."""
    kind, text = packed(items) if dumper.compact and is_vector(items) else ("", "")
    if kind and len(text) < len(str(items)):
        return dumper.represent_scalar(f"!{kind}", text)
    row = bool(items) and all(isinstance(item, int | float) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=row)


Reference.add_representer(str, text_node)
Reference.add_representer(list, list_node)


def reference(value: Any, *, compact: bool) -> str:
    """What PyYAML writes."""
    once, names = shared(value) if compact else (value, dict[int, str]())
    dumper = type("Dumper", (Reference,), {"names": names, "compact": compact})
    options: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "width": 2**31, "default_flow_style": False}
    write: Any = yaml.dump  # its type is only partly known
    return str(write(once, Dumper=dumper, **options))


@settings(deadline=None, max_examples=200)
@given(VALUES, st.booleans())
def test_written_as_by_pyyaml(value: Any, compact: bool) -> None:  # noqa: FBT001
    """Whatever the value is, and wherever it stands."""
    for document in ({"v": value}, [value], {"list": [{"v": value}, value]}):
        assert dump(document, compact=compact) == reference(document, compact=compact)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recordings_stay_as_they_are(path: Path) -> None:
    """Each recording of this project is written again byte for byte; older ones as PyYAML writes them today."""
    text = path.read_text(encoding="utf-8")
    title, document = text.splitlines(keepends=True)[0], load(text)
    written = dump(document, compact=True)
    assert written == reference(document, compact=True)
    assert title + written == text or document["version"] == 1


@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader])
def test_any_reader_reads_it(loader: Any) -> None:
    """What is written twice only once, and texts of all kinds, are plain YAML for other kits."""
    document = {"texts": [*WORDS, "a\n\tb \n", "x" * 130, "x" * 130], "more": {"": None, "a\nb": [1, 2.5, True]}}
    assert yaml.load(dump(document, compact=True), Loader=loader) == document  # noqa: S506 - safe ones
