"""The formats of a graph: each says the same facts, and no name breaks out of any."""

import io
import json
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from memzoo.memories import Fact, KnowledgeGraph, Source
from memzoo.memories.graph.export import FORMATS, export
from memzoo.memories.graph.formats import to_graphml, to_json, to_mermaid, to_text
from memzoo.memories.models.replies import Statement
from memzoo.memories.text.names import canonical
from memzoo.stores.errors import MissingExtraError, OptionError

HOSTILE = [
    '"',
    "'><img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "a --> b",
    "]]>",
    "two\nlines",
    "two\u2028lines",
    "a|b\\",
    "end",
    "&lt;#quot;",
    "%% x",
    "§DATA§",
    "1. one",
    "\x1b[31mred\x00",
]


def told(*statements: Sequence[str]) -> KnowledgeGraph:
    """A graph that was told statements, one a message; a fourth part says that the statement is negated."""
    graph = KnowledgeGraph()
    for seq, (subject, relation, obj, *negated) in enumerate(statements, start=1):
        source = Source(seq, "user", datetime(2026, 5, 8, tzinfo=UTC))
        said = Statement(subject, relation, obj, negated=bool(negated))
        graph.apply(graph.changes_from(said, source, {}), reset=False)
    return graph


MOVED = told(
    ("Sam", "lives in", "Oslo"), ("Sam", "lives in", "Rome"), ("Eve", "likes", "Sam"), ("Eve", "is", "tall", "not")
)

names = some.one_of(some.sampled_from(HOSTILE), some.text(max_size=6)).filter(canonical)
graphs = some.lists(some.tuples(names, names, names), max_size=6).map(lambda facts: told(*facts))


class TestText:
    """Lines for people, and for diffs."""

    def test_is_a_sorted_line_for_each_fact(self) -> None:
        """Subject, relation, object and messages; denials are marked, superseded facts come with `history` only."""
        shown = ["NOT Eve | is | tall [4]", "Eve | likes | Sam [3]", "Sam | lives in | Rome [2]"]
        assert to_text(MOVED).splitlines() == [shown[1], shown[0], shown[2]]
        with_history = to_text(MOVED, history=True).splitlines()
        assert with_history == [shown[1], shown[0], "Sam | lives in | Oslo [1] superseded by 2", shown[2]]

    @settings(derandomize=True, deadline=None, max_examples=200)
    @given(graphs)
    def test_has_as_many_lines_as_facts(self, graph: KnowledgeGraph) -> None:
        """No name makes another line, another column, or anything that a terminal would obey."""
        lines = to_text(graph, history=True).splitlines()
        assert len(lines) == len(graph.facts(history=True))
        assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 2 and line.isprintable() for line in lines)


class TestJSON:
    """Lines for programs."""

    @settings(derandomize=True, deadline=None, max_examples=200)
    @given(graphs)
    def test_reads_back_as_the_same_facts(self, graph: KnowledgeGraph) -> None:
        """Each line is a fact with all that is known of it."""
        facts = [Fact.from_json(json.loads(line)) for line in to_json(graph, history=True).splitlines()]
        assert sorted(map(repr, facts)) == sorted(map(repr, graph.facts(history=True)))


class TestMermaid:
    """Flowcharts."""

    def test_is_a_flowchart(self) -> None:
        """A node for each name, an arrow for each fact, a dotted one for a superseded fact."""
        assert to_mermaid(
            told(("Sam", "lives in", "Oslo"), ("Sam", "lives in", "Rome!")), history=True
        ).splitlines() == [
            "graph LR",
            '  n0["Oslo"]',
            '  n1["Rome#33;"]',
            '  n2["Sam"]',
            '  n2 -.->|"lives in"| n0',
            '  n2 -->|"lives in"| n1',
        ]

    @settings(derandomize=True, deadline=None, max_examples=200)
    @given(graphs)
    def test_has_nothing_but_nodes_and_arrows(self, graph: KnowledgeGraph) -> None:
        """No name ends its label: each line is one node or one arrow."""
        label = r'"(?:[^\W_]|#\d+;| )+"'
        line = re.compile(rf"  n\d+(?:\[{label}\]| -->\|{label}\| n\d+)")
        first, *rest = to_mermaid(graph).splitlines()
        assert first == "graph LR"
        assert [text for text in rest if not line.fullmatch(text)] == []


class TestGraphML:
    """Graphs for other programs."""

    @settings(derandomize=True, deadline=None, max_examples=200)
    @given(graphs)
    def test_reads_back_as_the_same_facts(self, graph: KnowledgeGraph) -> None:
        """What networkx reads are the same names, relations, corrections and sources, but for what XML cannot hold."""
        import networkx

        read = networkx.read_graphml(io.BytesIO(to_graphml(graph, history=True).encode()), force_multigraph=True)
        found = [
            (
                read.nodes[one]["name"],
                edge["relation"],
                read.nodes[other]["name"],
                edge["superseded_by"],
                edge["said_in"],
            )
            for one, other, edge in read.edges(data=True)
        ]
        named = {node: data["name"] for node, data in graph.graph.nodes(data=True)}
        expected = [
            (
                xml(named[canonical(fact.subject)]),
                xml(fact.relation),
                xml(named[canonical(fact.object)]),
                fact.superseded_by,
                json.dumps(fact.said_in),
            )
            for fact in graph.facts(history=True)
        ]
        assert sorted(found) == sorted(expected)

    def test_tells_who_said_it(self) -> None:
        """Edges have the speakers and the times beside the numbers of the messages, and whether they hold."""
        shown = to_graphml(MOVED, history=True)
        for text in ('["user"]', '["2026-05-08T00:00:00+00:00"]', "<data key=", ">lives in<", ">True<", ">False<"):
            assert text.replace('"', "&quot;") in shown or text in shown


def xml(text: str) -> str:
    """A text as XML can hold it."""
    return "".join("\ufffd" if char == "\r" or not legal(ord(char)) else char for char in text)


def legal(code: int) -> bool:
    """Whether XML 1.0 has a character."""
    return code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code <= 0xFFFD or code > 0xFFFF


class TestHTML:
    """Pictures to be moved with the mouse."""

    @pytest.mark.parametrize("name", HOSTILE)
    def test_runs_nothing_of_anybody(self, name: str) -> None:
        """A name is data in the one script of the page, without a tag, and markup nowhere."""
        page = export(told((name, name, "Sam")), "html")
        harmless = export(told(("Eve", "likes", "Sam")), "html")
        (data,) = re.findall(r"state\.rawData = (\[.*\]);\n", page)
        assert "<" not in data
        assert page.count("<script") == harmless.count("<script")
        assert page.count("</script") == harmless.count("</script")
        (graph,) = json.loads(data)
        assert {text for edge in graph["edges"] for text in (edge["source"], edge["target"])} <= {"n0", "n1"}
        assert not re.search(r"[<>\"']", graph["edges"][0]["metadata"]["hover"])

    def test_needs_no_network(self) -> None:
        """The page has its scripts in itself, and forbids itself everything else."""
        page = export(MOVED, "html")
        assert "default-src 'none'" in page
        assert not re.search(r"<(?:script|img|link|iframe)[^>]*\b(?:src|href)=", page)

    def test_marks_what_does_not_hold(self) -> None:
        """Superseded facts are grey and say what superseded them."""
        (data,) = re.findall(r"state\.rawData = (\[.*\]);\n", export(MOVED, "html", history=True))
        edges = {edge["metadata"]["hover"].splitlines()[0]: edge["metadata"] for edge in json.loads(data)[0]["edges"]}
        assert edges["Sam lives in Oslo"]["color"] != edges["Sam lives in Rome"]["color"]
        assert edges["Sam lives in Oslo"]["hover"].endswith("1, user, 2026-05-08 00:00\nsuperseded by 2")

    def test_needs_an_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without gravis the error says what to install."""
        monkeypatch.setitem(sys.modules, "gravis", None)
        with pytest.raises(MissingExtraError, match=re.escape("pip install 'memzoo[graph]'")):
            export(MOVED, "html")


@pytest.mark.parametrize("form", FORMATS)
def test_of_no_facts_is_well_formed(form: str) -> None:
    """An empty graph can be written in every format."""
    assert isinstance(export(KnowledgeGraph(), form), str)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "html"])
def test_does_not_depend_on_the_order(form: str) -> None:
    """Facts of one message in another order give the same output, so that outputs can be compared."""
    said = [("Sam", "likes", "tea"), ("Eve", "likes", "Sam"), ("sam", "Likes", "milk")]
    outputs: set[str] = set()
    for statements in (said, said[::-1]):
        graph = KnowledgeGraph()
        source = Source(1, "user", datetime(2026, 5, 8, tzinfo=UTC))
        for statement in statements:
            graph.apply(graph.changes_from(Statement(*statement), source, {}), reset=False)
        outputs.add(export(graph, form).casefold())
    assert len(outputs) == 1


def test_unknown_formats_are_refused() -> None:
    """The error names the formats that there are."""
    with pytest.raises(OptionError, match="no format 'gexf'; there are text, mermaid, graphml, html, json"):
        export(MOVED, "gexf")
