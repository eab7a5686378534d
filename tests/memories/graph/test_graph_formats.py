"""The formats of a graph: each says the same facts, and no name breaks out of any."""

import io
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories import Fact, KnowledgeGraph
from memzoo.memories.models.replies import Statement
from memzoo.memories.text.names import canonical
from memzoo.types import Source

FORMATS = ("text", "json", "mermaid", "graphml", "html")
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
        graph.apply(graph.changes_from([(said, [source])]), reset=False)
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
        assert MOVED.export("text").splitlines() == [shown[1], shown[0], shown[2]]
        with_history = MOVED.export("text", history=True).splitlines()
        assert with_history == [shown[1], shown[0], "Sam | lives in | Oslo [1] superseded by 2", shown[2]]

    @given(graphs)
    def test_has_as_many_lines_as_facts(self, graph: KnowledgeGraph) -> None:
        """No name makes another line, another column, or anything that a terminal would obey."""
        lines = graph.export("text", history=True).splitlines()
        assert len(lines) == len(graph.facts(history=True))
        assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 2 and line.isprintable() for line in lines)


class TestJSON:
    """Lines for programs."""

    @given(graphs)
    def test_reads_back_as_the_same_facts(self, graph: KnowledgeGraph) -> None:
        """Each line is a fact with all that is known of it."""
        facts = [Fact.from_json(json.loads(line)) for line in graph.export("json", history=True).splitlines()]
        assert sorted(map(repr, facts)) == sorted(map(repr, graph.facts(history=True)))


class TestMermaid:
    """Flowcharts."""

    def test_is_a_flowchart(self) -> None:
        """A node for each name, an arrow for each fact, a dotted one for a superseded fact."""
        moved = told(("Sam", "lives in", "Oslo"), ("Sam", "lives in", "Rome!"))
        assert moved.export("mermaid", history=True).splitlines() == [
            "graph LR",
            '  n0["Oslo"]',
            '  n1["Rome#33;"]',
            '  n2["Sam"]',
            '  n2 -.->|"lives in"| n0',
            '  n2 -->|"lives in"| n1',
        ]

    @given(graphs)
    def test_has_nothing_but_nodes_and_arrows(self, graph: KnowledgeGraph) -> None:
        """No name ends its label: each line is one node or one arrow."""
        label = r'"(?:[^\W_]|#\d+;| )+"'
        line = re.compile(rf"  n\d+(?:\[{label}\]| -->\|{label}\| n\d+)")
        first, *rest = graph.export("mermaid").splitlines()
        assert first == "graph LR"
        assert [text for text in rest if not line.fullmatch(text)] == []


class TestGraphML:
    """Graphs for other programs."""

    @given(graphs)
    def test_reads_back_as_the_same_facts(self, graph: KnowledgeGraph) -> None:
        """What networkx reads are the same names, relations, corrections and sources, but for what XML cannot hold."""
        import networkx

        read = networkx.read_graphml(io.BytesIO(graph.export("graphml", history=True).encode()), force_multigraph=True)
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
        shown = MOVED.export("graphml", history=True)
        for text in ('["user"]', '["2026-05-08T00:00:00+00:00"]', "<data key=", ">lives in<", ">True<", ">False<"):
            assert text.replace('"', "&quot;") in shown or text in shown


def xml(text: str) -> str:
    """A text as XML can hold it."""
    return "".join("\ufffd" if char == "\r" or not legal(ord(char)) else char for char in text)


def legal(code: int) -> bool:
    """Whether XML 1.0 has a character."""
    return code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code <= 0xFFFD or code > 0xFFFF


class Page(HTMLParser):
    """What a browser makes of a page: its tags, and the texts by the tag that they stand in."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag and its attributes."""
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.texts.append((self.tags[-1] if self.tags else "", data))


class TestHTML:
    """Pictures to be searched, moved and zoomed."""

    @pytest.mark.parametrize("name", HOSTILE)
    def test_runs_nothing_of_anybody(self, name: str) -> None:
        """A name is text, markup nowhere: the page has the tags and attributes that it has for any other name."""
        page, harmless = (Page(told((one, one, "Sam")).export("html")) for one in (name, "Eve"))
        assert page.tags == harmless.tags
        assert [key for key, _ in page.attributes] == [key for key, _ in harmless.attributes]
        scripts = [[text for tag, text in found.texts if tag == "script"] for found in (page, harmless)]
        assert scripts[0] == scripts[1]

    def test_needs_no_network(self) -> None:
        """The page has its script in itself, and forbids itself everything else."""
        page = MOVED.export("html")
        assert "default-src 'none'" in page
        assert not {key for key, _ in Page(page).attributes} & {"src", "href", "onclick", "onload"}

    def test_shows_all_names_and_relations(self) -> None:
        """Each name stands there once, each relation at its arrow, and a long one is cut in its label only."""
        texts = [
            text
            for tag, text in Page(told(("Sam", "likes", "x" * 60), ("Sam", "is", "tall")).export("html")).texts
            if tag == "text" and text.strip()
        ]
        assert sorted(texts) == ["Sam", "is", "likes", "tall", "x" * 31 + "…"]

    def test_marks_what_does_not_hold(self) -> None:
        """Superseded facts are dashed and say what superseded them; denials are red; the legend says so."""
        page = MOVED.export("html", history=True)
        assert page.count('<g class="fact over">') == 1
        assert "Sam lives in Oslo\n1, user, 2026-05-08 00:00\nsuperseded by 2</title>" in page
        assert "superseded</span>" in page
        assert '<g class="fact over">' not in MOVED.export("html")
        assert '<g class="fact denied">' in told(("Sam", "is", "tall", "not")).export("html")

    def test_is_the_same_each_time(self) -> None:
        """The same facts are drawn at the same places, also where two parts are not connected."""
        said = [("Sam", "likes", "tea"), ("Eve", "likes", "Tom"), ("Sam", "knows", "Sam")]
        assert told(*said).export("html") == told(*said).export("html")


@pytest.mark.parametrize("form", FORMATS)
def test_what_was_superseded_comes_with_history_only(form: str) -> None:
    """By itself a format shows what holds; asked for the history, what held before, too."""
    assert "Oslo" not in MOVED.export(form)
    assert "Rome" in MOVED.export(form)
    assert "Oslo" in MOVED.export(form, history=True)


@pytest.mark.parametrize("form", FORMATS)
def test_of_no_facts_is_well_formed(form: str) -> None:
    """An empty graph can be written in every format."""
    assert isinstance(KnowledgeGraph().export(form), str)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "html"])
def test_does_not_depend_on_the_order(form: str) -> None:
    """Facts of one message in another order give the same output, so that outputs can be compared."""
    said = [("Sam", "likes", "tea"), ("Eve", "likes", "Sam"), ("sam", "Likes", "milk")]
    outputs: set[str] = set()
    for statements in (said, said[::-1]):
        graph = KnowledgeGraph()
        source = Source(1, "user", datetime(2026, 5, 8, tzinfo=UTC))
        for statement in statements:
            graph.apply(graph.changes_from([(Statement(*statement), [source])]), reset=False)
        outputs.add(graph.export(form).casefold())
    assert len(outputs) == 1
