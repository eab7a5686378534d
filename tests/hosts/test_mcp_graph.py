"""The graph that is written by calls of tools: what it shows, where it comes from, and that nothing is lost."""

import json
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo.errors import MessageError, OptionError, OverBudgetError, TransferError
from memzoo.hosts.mcp.files import export_lines, import_lines
from memzoo.hosts.mcp.memory import GraphMemory
from memzoo.hosts.mcp.notes import Kind, Note
from memzoo.hosts.mcp.reading import Known, within
from memzoo.hosts.mcp.tools import TOOLS, ToolResult, call
from memzoo.memories import Fact, create_memory
from memzoo.stores import InMemoryStore, open_store
from memzoo.sync import drive

ADA = {"name": "Ada", "entityType": "person", "observations": ["likes tea", "lives in London"]}
ACME: dict[str, Any] = {"name": "Acme", "entityType": "company", "observations": []}
WORKS = {"from": "Ada", "to": "Acme", "relationType": "works_at"}


@pytest.fixture
def memory() -> GraphMemory:
    """A graph of two entities and a relation: messages 1 and 2."""
    store = InMemoryStore(clock=lambda: datetime(2026, 5, 8, tzinfo=UTC))
    made = GraphMemory(store=store, conversation_id="graph", token_counter="approximate")
    ask(made, "create_entities", entities=[ADA, ACME])
    ask(made, "create_relations", relations=[WORKS])
    return made


def ask(memory: GraphMemory, tool: str, **arguments: Any) -> Mapping[str, Any]:
    """What a tool answers, as JSON values."""
    return answer(memory, tool, **arguments).values


def answer(memory: GraphMemory, tool: str, **arguments: Any) -> ToolResult:
    """What a tool answers."""
    return drive(call(memory, tool, arguments))


def test_a_write_is_a_message_of_the_log(memory: GraphMemory) -> None:
    """The call stands there as JSON, and other strategies send it to no model, since no assistant made it."""
    entry = memory.entries()[1]
    assert (entry.message["role"], entry.message["name"]) == ("tool", "create_relations")
    assert json.loads(entry.message["content"]) == {"tool": "create_relations", "arguments": {"relations": [WORKS]}}
    assert create_memory("buffer", store=memory.store, conversation_id="graph").messages() == []


def test_what_was_taken_back_stays_as_history(memory: GraphMemory) -> None:
    """A deletion appends a message; the graph is without the entity, and `why` tells who said so and took it back."""
    ask(memory, "delete_entities", entityNames=["Ada"])
    assert ask(memory, "read_graph") == {"entities": [ACME], "relations": []}
    (tea,) = ask(memory, "why", fact="likes TEA")["facts"]
    assert (tea["holds"], [one["entry"] for one in tea["said"]], tea["takenBack"]["entry"]) == (False, [1], 3)


def test_what_is_said_again_after_it_was_taken_back_is_new(memory: GraphMemory) -> None:
    """An entity comes back without its old observations, and stands at the end."""
    ask(memory, "delete_entities", entityNames=["Ada"])
    back = {**ADA, "entityType": "robot", "observations": ["likes oil"]}
    assert ask(memory, "create_entities", entities=[back]) == {"entities": [back]}
    assert ask(memory, "read_graph") == {"entities": [ACME, back], "relations": []}
    assert [one.seq for one in memory.why("likes oil")[0].quotes] == [4]


def test_what_stands_twice_in_a_call_is_one_with_all_that_is_said_of_it(memory: GraphMemory) -> None:
    """Nothing that a call says of a new entity is lost; one that was there already stays as it is."""
    oslo, tea = ({"name": "Bo", "entityType": "person", "observations": [text]} for text in ("in Oslo", "likes tea"))
    both = {**oslo, "observations": ["in Oslo", "likes tea"]}
    assert ask(memory, "create_entities", entities=[oslo, {**ADA, "observations": ["new"]}, tea, oslo]) == {
        "entities": [both]
    }
    twice = [{"entityName": "Acme", "contents": [text]} for text in ("sells anvils", "is old", "sells anvils")]
    ask(memory, "add_observations", observations=twice)
    assert ask(memory, "create_relations", relations=[{**WORKS, "to": "Bo"}] * 2)["relations"] == [
        {**WORKS, "to": "Bo"}
    ]
    assert ask(memory, "read_graph") == {
        "entities": [ADA, {**ACME, "observations": ["sells anvils", "is old"]}, both],
        "relations": [WORKS, {**WORKS, "to": "Bo"}],
    }


def test_what_is_not_taken_is_told(memory: GraphMemory) -> None:
    """As in the original server a known entity stays as it is; the model is told so, and of a second type in a call."""
    robot = {**ADA, "entityType": "robot", "observations": ["likes oil"]}
    both = [{**ACME, "name": "Bo", "entityType": kind} for kind in ("person", "robot")]
    found = answer(memory, "create_entities", entities=[robot, *both])
    assert found.values == {"entities": both[:1]}
    assert found.texts[1:] == [
        "Left as before, because known already: Ada. Write more with add_observations.",
        "Bo has the type that was given first; 'robot' was not taken.",
    ]
    assert ask(memory, "open_nodes", names=["Ada"])["entities"] == [ADA]


def test_a_relation_may_have_no_name(memory: GraphMemory) -> None:
    """An empty text is one like any other, as in the original server, and what follows is taken in too."""
    nameless = {**WORKS, "relationType": ""}
    assert ask(memory, "create_relations", relations=[nameless]) == {"relations": [nameless]}
    assert ask(memory, "read_graph")["relations"] == [WORKS, nameless]


def test_a_restart_and_learning_anew_give_the_same(memory: GraphMemory) -> None:
    """The graph follows from the log alone, whether from one call at a time or from all at once."""
    ask(memory, "add_observations", observations=[{"entityName": "Acme", "contents": ["sells anvils"]}])
    ask(memory, "delete_observations", deletions=[{"entityName": "Ada", "observations": ["likes tea"]}])
    ask(memory, "delete_relations", relations=[WORKS])
    before = ask(memory, "read_graph"), memory.why("Ada")
    other = GraphMemory(store=memory.store, conversation_id="graph")
    assert (ask(other, "read_graph"), other.why("Ada")) == before
    other.relearn()
    assert (ask(memory, "read_graph"), memory.why("Ada")) == before


def test_what_is_forgotten_is_gone_with_all_that_came_of_it(memory: GraphMemory) -> None:
    """Without the message that created it, an entity and its history are gone; the rest is as it was."""
    receipt = ask(memory, "forget", entries=[1])
    assert (receipt["removed"], receipt["rederived"]) == ((1,), ("mcp-graph",))
    assert ask(memory, "read_graph") == {"entities": [], "relations": [WORKS]}
    assert ask(memory, "why", fact="likes tea") == {"facts": []}
    assert ask(memory, "recall", query="tea") == {"lines": []}


def test_to_forget_nothing_works_nothing_out(memory: GraphMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a number, there is nothing to be learnt anew, however much is known."""
    ask(memory, "create_entities", entities=[ADA])
    derived: list[object] = []

    async def see(*changes: object, **_: object) -> None:
        derived.append(changes)

    monkeypatch.setattr(type(memory), "on_state_change", see)
    assert ask(memory, "forget", entries=[])["removed"] == ()
    assert derived == []


def test_a_long_question_is_cut(memory: GraphMemory) -> None:
    """What is looked up is bounded: words beyond the first two thousand characters are not."""
    ask(memory, "create_entities", entities=[ADA])
    words = " ".join(f"word{number}" for number in range(20_000))
    assert ask(memory, "recall", query=f"tea {words}")["lines"][0] == "Ada: likes tea"
    assert "Ada: likes tea" not in ask(memory, "recall", query=f"{words} tea")["lines"]


def test_recall_finds_facts_and_texts(memory: GraphMemory) -> None:
    """What fits best comes first, whether a tool noted it or it was kept as text; what was taken back does not come."""
    assert ask(memory, "remember", text="The anniversary is in June") == {"entry": 3}
    assert ask(memory, "recall", query="When is the anniversary?")["lines"][0] == "The anniversary is in June"
    assert ask(memory, "recall", query="who likes tea")["lines"][0] == "Ada: likes tea"
    ask(memory, "delete_observations", deletions=[{"entityName": "Ada", "observations": ["likes tea"]}])
    assert "Ada: likes tea" not in ask(memory, "recall", query="who likes tea")["lines"]
    shown, *_ = memory.messages("anniversary")
    assert shown["role"] == "user"
    assert "<record>\nThe anniversary is in June" in shown["content"]


def test_recall_begins_with_what_is_pinned(memory: GraphMemory) -> None:
    """Whatever is asked, within the limit, and once; an answer that has no room for it is an error that says so."""
    number = ask(memory, "remember", text="Never book before noon.")["entry"]
    ask(memory, "create_entities", entities=[ADA])
    create_memory("buffer", store=memory.store, conversation_id=memory.conversation_id).pin(number)
    for query in ("who likes tea", "noon", ""):
        lines = ask(memory, "recall", query=query)["lines"]
        assert lines[0] == "Never book before noon."
        assert lines.count("Never book before noon.") == 1
    assert "Ada: likes tea" in ask(memory, "recall", query="who likes tea")["lines"]
    assert [one["content"] for one in memory.messages("noon")].count("Never book before noon.") == 1
    ask(memory, "remember", text="Ada wants a room with a view, on the second floor, and no breakfast.")
    memory.pin(5)
    with pytest.raises(OverBudgetError, match=r"the pinned messages .* 16"):
        memory.recall("tea", 16)


@pytest.mark.parametrize("limit", [64, 200, 1000])
def test_no_read_exceeds_its_budget(limit: int) -> None:
    """However large the graph, a read has at most so many tokens, keeps the newest, and tells what is missing."""
    memory = GraphMemory(max_read_tokens=limit, token_counter="approximate")
    for number in range(40):
        facts = [f"tea number {number}-{n}" for n in range(5)]
        ask(memory, "create_entities", entities=[{"name": f"e{number}", "entityType": "test", "observations": facts}])
    for tool, arguments in {
        "read_graph": {},
        "search_nodes": {"query": "tea"},
        "open_nodes": {"names": [f"e{n}" for n in range(40)]},
        "why": {"fact": "tea"},
        "recall": {"query": "tea", "max_tokens": limit},
    }.items():
        shown = answer(memory, tool, **arguments)
        assert 0 < sum(map(memory.tokens, shown.texts)) <= limit, tool
    read = answer(memory, "read_graph")
    assert "older entities" in read.texts[1]
    assert limit == 64 or read.values["entities"][-1]["observations"][-1] == "tea number 39-4"


def test_a_long_call_is_taken_in_whole() -> None:
    """No prompt limits what a call may say."""
    memory, text = GraphMemory(), "x" * 200_000
    ask(memory, "create_entities", entities=[{**ACME, "observations": [text]}])
    assert [one.fact.object for one in drive(memory.alist_notes())] == ["company", text]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("create_entities", {"entities": [{"name": "x"}]}, r"entities\[0\].entityType: Field required"),
        ("create_entities", {}, "entities: Field required"),
        ("open_nodes", {"names": [1]}, r"names\[0\]: Input should be a valid string, not 1"),
        (
            "add_observations",
            {"observations": [{"entityName": "x", "contents": ["y"]}]},
            "Entity with name x not found",
        ),
        ("remember", {"text": " "}, "nothing to remember"),
        ("recall", {"query": "x", "max_tokens": 0}, "max_tokens: Input should be greater"),
    ],
)
def test_bad_arguments_are_refused(memory: GraphMemory, tool: str, arguments: dict[str, Any], told: str) -> None:
    """The error names what is wrong, and nothing is stored."""
    with pytest.raises(MessageError, match=told):
        ask(memory, tool, **arguments)
    assert len(memory.entries()) == 2


def test_an_unknown_tool_is_refused(memory: GraphMemory) -> None:
    """The error names those that there are."""
    with pytest.raises(OptionError, match=f"no tool 'create_entity'; there are {', '.join(TOOLS)}. Did you mean"):
        ask(memory, "create_entity")


def test_messages_of_others_are_left_alone(memory: GraphMemory) -> None:
    """What looks like a call but is none changes nothing, and is kept."""
    odd = [{"role": "tool", "tool_call_id": "1", "name": name, "content": text} for name, text in _ODD]
    memory.add_messages(odd)
    assert ask(memory, "read_graph") == {"entities": [ADA, ACME], "relations": [WORKS]}
    assert len(memory.history()) == 2 + len(odd)


_ODD = [
    ("create_entities", "no JSON"),
    ("create_entities", "[]"),
    ("create_entities", '{"arguments": {"entities": 1}}'),
    ("get_weather", '{"arguments": {"entities": []}}'),
]


def test_the_graph_is_a_knowledge_graph(memory: GraphMemory) -> None:
    """It can be exported like any other, with what was taken back as history."""
    ask(memory, "delete_observations", deletions=[{"entityName": "Ada", "observations": ["likes tea"]}])
    assert memory.kg.export("text", history=True).splitlines() == [
        "Acme | is a | company [1]",
        "Ada | is a | person [1]",
        "Ada | observation | likes tea [1] superseded by 3",
        "Ada | observation | lives in London [1]",
        "Ada | works_at | Acme [2]",
    ]


def test_a_file_of_the_original_is_taken_in_once(memory: GraphMemory) -> None:
    """What is exported and taken in elsewhere gives the same graph; a second time it changes nothing."""
    lines, other = export_lines(memory), GraphMemory()
    assert [import_lines(other, lines), import_lines(other, lines)] == [5, 0]
    assert (ask(other, "read_graph"), len(other.entries())) == (ask(memory, "read_graph"), 2)
    more = json.dumps({"type": "entity", **ADA, "observations": ["likes tea", "has a cat"]})
    assert (import_lines(other, [more, more]), other.recall("cat", 50)[0]) == (1, "Ada: has a cat")


@pytest.mark.parametrize("line", ["{", "[]", "7", '{"type": "note"}', '{"type": "entity", "name": "x"}'])
def test_a_file_that_is_none_is_refused(line: str) -> None:
    """The error names the line, and nothing is stored."""
    memory = GraphMemory()
    with pytest.raises(TransferError, match="line 3 is neither an entity nor a relation"):
        import_lines(memory, [json.dumps({"type": "entity", **ADA}), "", line])
    assert memory.entries() == []


def test_stores_keep_it(tmp_path: Path) -> None:
    """A graph in a file is there when the file is opened again."""
    url = f"sqlite:///{tmp_path}/mcp.db"
    with closing(open_store(url)) as store:
        ask(GraphMemory(store=store, conversation_id="g"), "create_entities", entities=[ADA])
    with closing(open_store(url)) as store:
        memory = GraphMemory(store=store, conversation_id="g")
        assert ask(memory, "read_graph") == {"entities": [ADA], "relations": []}


@given(
    st.lists(st.tuples(st.text("ab\0Σß", max_size=3), st.text("abA\0ß", max_size=3)), max_size=6),
    st.text("abA\0ßs", max_size=2),
)
def test_a_search_finds_what_stands_in_a_text(things: list[tuple[str, str]], query: str) -> None:
    """It finds the entities whose name, type or observation has the text, and none by two texts together."""
    kinds: list[Kind] = ["entity", "observation"]
    notes = [
        Note(kind, Fact(name, "is", text), (place, number), "call")
        for place, (name, text) in enumerate(dict(things).items())
        for number, kind in enumerate(kinds)
    ]
    wanted = {name for name, text in dict(things).items() if any(query.lower() in one.lower() for one in (name, text))}
    assert Known(notes).find_matching(query) == wanted


@pytest.mark.parametrize("limit", [64, 1_000, 25_000, 10**9])
def test_of_a_large_graph_little_is_written_down(limit: int) -> None:
    """As many notes as fit are found in a few tries, not in one for each note, and to a hundredth of the limit."""
    tried: list[int] = []

    def tokens(text: str) -> int:
        tried.append(len(text))
        return len(text) // 4

    notes = [Note("entity", Fact(f"entity {n}", "is a", "thing"), (n, 0), "call") for n in range(20_000)]
    shown = within(limit, notes, tokens)
    size = sum(len(text) // 4 for text in shown.texts)
    assert size <= limit
    assert len(shown.values["entities"]) == 20_000 or size > limit - limit // 100 - 60
    assert len(tried) <= 24
