"""Facts as a graph: several relations of a pair, corrections with their history, names in any case."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.memories import Fact, KnowledgeGraph
from memzoo.memories.graph.relations import SINGLE_VALUED
from memzoo.memories.models.replies import Statement
from memzoo.memories.text.names import canonical, fold, mentions
from memzoo.types import Source

PIECES = ["a", "B", "é", "1", "+", ".", "→", "'", " ", "the "]
NAMES = some.lists(some.sampled_from(PIECES), min_size=1, max_size=4).map("".join).filter(canonical)
SAID = ("subject", "relation", "object")


def source(seq: int) -> Source:
    """A message of the user."""
    return Source(seq, "user", datetime(2026, 5, 8, 12, seq % 60, tzinfo=UTC))


def told(*statements: Sequence[str]) -> KnowledgeGraph:
    """A graph that was told statements, one a message; a fourth part says that the statement is negated."""
    graph = KnowledgeGraph()
    for seq, (subject, relation, obj, *negated) in enumerate(statements, start=1):
        said = Statement(subject, relation, obj, negated=bool(negated))
        graph.apply(graph.changes_from([(said, [source(seq)])]), reset=False)
    return graph


def texts(facts: Sequence[Fact]) -> list[str]:
    """Facts as statements."""
    return [str(fact) for fact in facts]


class TestRelations:
    """What is kept about a pair of names."""

    def test_may_be_several(self) -> None:
        """Alice likes and employs Bob; neither fact is lost (K1)."""
        graph = told(("Alice", "likes", "Bob"), ("Alice", "employs", "Bob"))
        assert texts(graph.about("Alice")) == ["Alice likes Bob", "Alice employs Bob"]

    def test_are_found_from_the_object_side(self) -> None:
        """What is said of a name as an object is known about it too (K3)."""
        graph = told(("Nolan", "directed", "Inception"), ("Inception", "is", "a film"))
        assert texts(graph.about("Inception")) == ["Nolan directed Inception", "Inception is a film"]

    def test_ignore_case(self) -> None:
        """One node is "Sam", "sam" and "SAM", called as it was written first (K4)."""
        graph = told(("Sam", "likes", "Tea"), ("sam", "Likes", "TEA"), ("SAM's", "is", "kind"))
        assert texts(graph.about("sAm")) == ["Sam likes Tea", "SAM's is kind"]
        assert len(graph.graph) == 3

    def test_may_lead_back_to_the_same_name(self) -> None:
        """A self-loop is shown, once (K5)."""
        assert texts(told(("Narcissus", "loves", "Narcissus")).about("narcissus")) == ["Narcissus loves Narcissus"]

    def test_of_part_of_a_name_are_found(self) -> None:
        """Asked for "Nolan", "Christopher Nolan" is found, not "Nolanville"; an exact name finds itself alone."""
        graph = told(("Christopher Nolan", "directed", "Inception"), ("Nolanville", "is in", "Texas"))
        assert texts(graph.about("Nolan")) == ["Christopher Nolan directed Inception"]
        assert texts(told(("Sam", "is", "a cat"), ("Sam Gamgee", "is", "a hobbit")).about("Sam")) == ["Sam is a cat"]

    def test_of_a_common_word_are_those_of_all_that_have_it(self) -> None:
        """Nobody is called "red"; "Red" is somebody, and so is a name in a script that has no capitals."""
        graph = told(("Sam", "likes", "red"), ("Eve", "likes", "red wine"))
        assert texts(graph.about("red")) == ["Sam likes red", "Eve likes red wine"]
        graph = told(("Sam", "likes", "Red"), ("Eve", "likes", "Red Queen"))
        assert texts(graph.about("red")) == ["Sam likes Red"]
        graph = told(("Sam", "likes", "東京"), ("Eve", "likes", "東京 タワー"))
        assert texts(graph.about("東京")) == ["Sam likes 東京"]
        graph = told(("Sam", "likes", "red"), ("red", "is", "a colour"), ("Eve", "likes", "red wine"))
        assert texts(graph.about("red")) == ["Sam likes red", "red is a colour"]

    def test_of_an_unknown_name_are_none(self) -> None:
        """Nobody knows an unknown name, nor an empty one."""
        graph = told(("Sam", "likes", "tea"))
        assert graph.about("Zoe") == graph.about("") == graph.about("...") == []

    def test_are_edges_of_a_networkx_graph(self) -> None:
        """The graph can be handed to networkx."""
        edges = list(told(("Sam", "likes", "Tea"), ("Sam", "sells", "Tea")).graph.edges(keys=True))
        assert edges == [("sam", "tea", "likes"), ("sam", "tea", "sells")]


class TestCorrections:
    """Facts that do not hold any more."""

    def test_end_what_they_name_in_other_words(self) -> None:
        """An old value that is named with another relation ends the fact that has it, if it is one alone."""
        graph = told(("flight", "is booked for", "12 May"), ("flight", "costs", "£90"))
        ended = Statement("flight", "takes off on", "12 May", negated=True, ended=True)
        graph.apply(graph.changes_from([(ended, (source(9),))]), reset=False)
        assert texts(graph.facts()) == ["flight costs £90"]
        assert graph.facts(history=True)[0].past == "flight is booked for 12 May (until 8 May 2026)"

    @pytest.mark.parametrize("relation", ["lives in", "LIVES  in", "is due on", "has a favorite color", "costs"])
    def test_supersede_a_single_valued_fact(self, relation: str) -> None:
        """Where a subject has one object at a time, only the newest holds (K2)."""
        graph = told(("Sam", relation, "A"), ("Eve", relation, "A"), ("Sam", relation, "B"))
        assert texts(graph.facts()) == [f"Eve {relation} A", f"Sam {relation} B"]

    def test_stay_as_history_with_the_message_that_corrected(self) -> None:
        """What is superseded is kept, with where it was said and where it was corrected (K2)."""
        graph = told(("Sam", "lives in", "Paris"), ("x", "y", "z"), ("Sam", "lives in", "London"))
        assert graph.about("Sam", history=True) == [
            Fact("Sam", "lives in", "Paris", sources=(source(1),), superseded_by=3, superseded_at=source(3).said_at),
            Fact("Sam", "lives in", "London", sources=(source(3),)),
        ]

    def test_end_each_fact_once(self) -> None:
        """Who moves on and on left each place with the message that named the next."""
        graph = told(*(("Sam", "lives in", town) for town in ("Oslo", "Rome", "Paris", "Bern")))
        assert [fact.superseded_by for fact in graph.facts(history=True)] == [2, 3, 4, 0]

    def test_can_be_taken_back(self) -> None:
        """Who moves back lives there again; both mentions are kept (K2)."""
        graph = told(("Sam", "lives in", "Oslo"), ("Sam", "lives in", "Rome"), ("Sam", "lives in", "Oslo"))
        assert graph.facts() == [Fact("Sam", "lives in", "Oslo", sources=(source(1), source(3)))]
        rome = Fact("Sam", "lives in", "Rome", sources=(source(2),), superseded_by=3, superseded_at=source(3).said_at)
        assert graph.facts(history=True)[1] == rome

    def test_leave_other_relations_alone(self) -> None:
        """Several things may be liked at a time."""
        graph = told(("Sam", "likes", "tea"), ("Sam", "likes", "milk"), ("Sam", "lives in", "Oslo"))
        assert len(graph.facts()) == 3

    def test_by_negation(self) -> None:
        """A denied fact is shown as denied, and no longer as a fact; saying it again restores it (K2)."""
        graph = told(("Sam", "is", "tall"), ("Sam", "is", "tall", "not"))
        assert texts(graph.about("Sam")) == ["Sam is not tall"]
        graph = told(("Sam", "is", "tall"), ("Sam", "is", "tall", "not"), ("Sam", "is", "tall"))
        assert texts(graph.about("Sam")) == ["Sam is tall"]

    def test_of_one_object_leave_the_others(self) -> None:
        """To deny one film denies no other."""
        graph = told(("Nolan", "directed", "A"), ("Nolan", "directed", "B"), ("Nolan", "directed", "A", "not"))
        assert texts(graph.about("B")) == ["Nolan directed B"]

    @pytest.mark.parametrize(("old", "new"), [("-5", "5"), ("C++", "C"), ("C#", "C")])
    def test_tell_signs_apart(self, old: str, new: str) -> None:
        """A sign that is part of a name or a number makes another object (K2, K4)."""
        graph = told(("it", "costs", old), ("it", "costs", new))
        assert texts(graph.about("it")) == [f"it costs {new}"]

    def test_a_denied_value_is_shown_with_the_right_one(self) -> None:
        """The newest fact with the same subject and relation stands before the denied one; others stay alone."""
        soil = ("the soil", "has", "pH 5"), ("the soil", "has", "pH 7"), ("the soil", "has", "pH 5", "not")
        graph = told(*soil, ("Sam", "likes", "tea", "not"))
        denied = sorted((fact for fact in graph.facts() if fact.negated), key=str)
        found = ["not true: Sam likes tea", "the soil has pH 7", "the soil has not pH 5"]
        assert texts([*graph.add_replacements(denied)]) == found

    def test_what_replaced_a_name_is_shown_with_the_name(self) -> None:
        """Before a fact that names the old band, also within its object, stands the fact about the new one (I15)."""
        band = "is the band for"
        graph = told(("The Kettles", band, "the wedding"), ("Ann", "has seen", "a poster of The Kettles"))
        over = Statement("The Kettles", band, "the wedding", ended=True), [source(9)]
        new = Statement("Velvet Harbour", band, "the wedding"), [source(9)]
        graph.apply(graph.changes_from([over, new]), reset=False)
        shown = texts(graph.add_replacements(graph.about("Ann")))
        assert shown == ["Velvet Harbour is the band for the wedding", "Ann has seen a poster of The Kettles"]


class TestNamesInText:
    """Which known names stand in a text."""

    GRAPH = staticmethod(lambda: told(("Sam", "lives in", "New York"), ("Ada", "likes", "C++")))

    @pytest.mark.parametrize("text", ["Sam?", "Tell me about Sam, please.", "sam: who?", "Is “Sam” here", "Sam's?"])
    def test_are_found_beside_punctuation(self, text: str) -> None:
        """A comma or a quote beside a name does not hide it."""
        assert self.GRAPH().find_names(text) == ["Sam"]

    def test_are_found_as_whole_words(self) -> None:
        """Part of a word is no name; a name of several words is one."""
        assert self.GRAPH().find_names("The same in new york and Samara") == ["New York"]

    def test_are_not_there_in_other_texts(self) -> None:
        """An empty text has no names."""
        assert self.GRAPH().find_names("") == self.GRAPH().find_names("Nobody") == []

    def test_are_found_in_the_order_of_the_text(self) -> None:
        """Names come as the text has them; signs belong to names, and a mark alone can be one."""
        graph = told(("Sam", "knows", "C++"), ("Ada", "draws", "→"))
        assert graph.find_names("→ or c++, Sam?") == ["→", "C++", "Sam"]

    def test_are_the_longest_ones(self) -> None:
        """In "New York" there is no "York", unless it stands beside it, too."""
        graph = told(("New York", "is not", "York"), ("New York City", "is", "big"))
        assert graph.find_names("Is it in New York?") == ["New York"]
        assert graph.find_names("York and new york city?") == ["York", "New York City"]

    def test_are_no_longer_found_without_facts(self) -> None:
        """A name of which the last fact was taken away is not known any more."""
        graph = told(("Sam", "likes", "tea"), ("Eve", "likes", "tea"))
        graph.apply({"sam\tlikes\ttea": None}, reset=False)
        assert graph.find_names("Sam or Eve, tea?") == ["Eve", "tea"]
        assert graph.about("Sam") == []
        assert set(graph.graph) == {"eve", "tea"}
        graph.apply({"eve\tlikes\ttea": None}, reset=False)
        assert graph.empty

    @given(some.lists(NAMES, max_size=6), some.lists(NAMES, max_size=6).map(" ".join))
    def test_are_those_that_are_mentioned(self, names: list[str], text: str) -> None:
        """The index finds a name that a text mentions, or a longer one that covers it, and nothing else."""
        graph = told(*((name, "is", "x1") for name in names))
        found = [canonical(name) for name in graph.find_names(text)]
        mentioned = [node for node in graph.graph if mentions(fold(text), node)]
        assert set(found) <= set(mentioned)
        assert all(any(node in longer for longer in found) for node in mentioned)


class TestSurroundings:
    """Facts some steps around names."""

    GRAPH = staticmethod(
        lambda: told(
            ("Sam", "works at", "Acme"),
            ("Acme", "is located in", "Oslo"),
            ("Oslo", "is in", "Norway"),
            ("Eve", "founded", "Acme"),
            ("Sam", "likes", "Eve"),
        )
    )

    @pytest.mark.parametrize(
        ("depth", "expected"),
        [
            (1, ["Sam works at Acme", "Sam likes Eve"]),
            (2, ["Acme is located in Oslo", "Eve founded Acme"]),
            (3, ["Oslo is in Norway"]),
            (9, []),
        ],
    )
    def test_reach_so_many_steps(self, depth: int, expected: list[str]) -> None:
        """With each step the facts about the neighbours join, from either side of a relation, each once."""
        near = self.GRAPH().around(["sam"], depth)
        assert sorted(str(found.fact) for found in near if found.steps == depth) == sorted(expected)
        assert len({found.fact for found in near}) == len(near)

    def test_are_those_about_the_names_if_nothing_is_said(self) -> None:
        """By default it is one step."""
        assert self.GRAPH().around(["Sam"]) == self.GRAPH().around(["Sam"], 1)

    def test_belong_to_the_nearest_name(self) -> None:
        """A fact about two names comes with both; one further away with the name that it is reached from first."""
        near = self.GRAPH().around(["Oslo", "Sam"], 2)
        told_of = {name: {str(one.fact) for one in near if one.name == name} for name in ("Oslo", "Sam")}
        assert told_of == {
            "Oslo": {"Acme is located in Oslo", "Oslo is in Norway", "Eve founded Acme"},
            "Sam": {"Sam works at Acme", "Sam likes Eve"},
        }

    def test_leave_out_what_does_not_hold(self) -> None:
        """No step leads over a superseded fact, and none is among the facts."""
        graph = told(("Sam", "lives in", "Oslo"), ("Sam", "lives in", "Rome"), ("Oslo", "is in", "Norway"))
        assert texts([found.fact for found in graph.around(["Sam"], 3)]) == ["Sam lives in Rome"]

    def test_may_go_in_circles(self) -> None:
        """A circle of facts ends."""
        graph = told(("A", "knows", "B"), ("B", "knows", "C"), ("C", "knows", "A"), ("A", "knows", "A"))
        assert len(graph.around(["A"], 2**63)) == 4


def ended(*said: tuple[str, str, str], over: tuple[str, str, str]) -> list[str]:
    """What still holds after it was said that something is over."""
    graph = told(*said)
    graph.apply(graph.changes_from([(Statement(*over, negated=True, ended=True), [source(9)])]), reset=False)
    return [fact.object for fact in graph.facts()]


@pytest.mark.parametrize(
    ("over", "left"),
    [
        (("Sam", "likes", "green tea"), ["black tea", "coffee"]),  # in its own words
        (("Sam", "likes", "tea"), ["coffee"]),  # in fewer words: all that say more
        (("Sam", "likes", "strong coffee"), ["green tea", "black tea"]),  # in more words: the one that says less
        (("Sam", "drinks", "coffee"), ["green tea", "black tea"]),  # between the two names
        (("Sam", "drinks", "water"), ["green tea", "black tea", "coffee"]),
    ],
)
def test_what_is_over_is_what_was_meant(over: tuple[str, str, str], left: list[str]) -> None:
    """A model says in its own words what is over; what it cannot mean holds on."""
    said = [("Sam", "likes", thing) for thing in ("green tea", "black tea", "coffee")]
    assert sorted(ended(*said, over=over)) == sorted(left)


def test_what_may_be_this_or_that_is_not_ended() -> None:
    """Of several facts between the same names, or that say less, none is ended by guessing."""
    assert len(ended(("Sam", "likes", "tea"), ("Sam", "sells", "tea"), over=("Sam", "drinks", "tea"))) == 2
    assert len(ended(("Sam", "likes", "tea"), ("Sam", "likes", "milk"), over=("Sam", "likes", "tea with milk"))) == 2


def test_what_ended_already_is_not_meant() -> None:
    """Of two facts between the same names, one of which is over, the other one is meant."""
    graph = told(("Sam", "likes", "tea"), ("Sam", "sells", "tea"))
    for seq, relation in ((8, "sells"), (9, "drinks")):
        over = Statement("Sam", relation, "tea", negated=True, ended=True)
        graph.apply(graph.changes_from([(over, [source(seq)])]), reset=False)
    assert {fact.relation: fact.superseded_by for fact in graph.facts(history=True)} == {"likes": 9, "sells": 8}


@pytest.mark.parametrize(("seqs", "until"), [([1, 5, 7], 5), ([7, 5], 5), ([3, 5], 5), ([1, 2], 1)])
def test_a_fact_ends_with_the_first_message_after_it(seqs: list[int], until: int) -> None:
    """Of several messages that correct it, the first that followed it is named; else the first of all."""
    graph = KnowledgeGraph()
    graph.apply(graph.changes_from([(Statement("Sam", "lives in", "Oslo"), [source(2), source(3)])]), reset=False)
    moved = Statement("Sam", "lives in", "Rome"), [source(seq) for seq in seqs]
    graph.apply(graph.changes_from([moved]), reset=False)
    (old,) = [fact for fact in graph.facts(history=True) if fact.superseded_by]
    assert (old.object, old.superseded_by) == ("Oslo", until)


statements = some.lists(
    some.builds(
        Statement,
        some.sampled_from(["Sam", "sam", "Eve"]),
        some.sampled_from(["lives in", "likes", "is"]),
        some.sampled_from(["Oslo", "oslo", "Rome", "Eve"]),
        some.booleans(),
        some.booleans(),
    ).map(lambda said: said._replace(negated=said.negated or said.ended)),
    max_size=10,
)


def in_steps(said: Sequence[Statement], sizes: Sequence[int]) -> KnowledgeGraph:
    """A graph that took in statements in commits of some sizes."""
    graph = KnowledgeGraph()
    step: list[tuple[Statement, list[Source]]] = []
    for seq, statement in enumerate(said, start=1):
        step.append((statement, [source(seq)]))
        if seq in sizes:
            graph.apply(graph.changes_from(step), reset=False)
            step = []
    graph.apply(graph.changes_from(step), reset=False)
    return graph


@given(statements, some.lists(some.integers(1, 10)))
def test_steps_do_not_matter(said: list[Statement], ends: list[int]) -> None:
    """One by one, in any steps or all at once, the same facts hold and the same history is kept (K2, F3)."""
    one_by_one = in_steps(said, range(1, 11))
    assert in_steps(said, ends).facts(history=True) == one_by_one.facts(history=True)
    assert in_steps(said, []).facts(history=True) == one_by_one.facts(history=True)


@given(statements)
def test_the_newest_statement_holds(said: list[Statement]) -> None:
    """A single-valued relation has one object at most, no fact holds beside its denial, the last said holds (K2)."""
    facts = in_steps(said, []).facts()
    single = [canonical(fact.subject) for fact in facts if fact.relation == "lives in" and not fact.negated]
    assert "lives in" in SINGLE_VALUED
    assert len(single) == len(set(single))
    named = [(tuple(canonical(getattr(fact, part)) for part in SAID), fact.negated) for fact in facts]
    assert not {words for words, negated in named if negated} & {words for words, negated in named if not negated}
    assert len({fact.key for fact in facts}) == len(facts)
    if said:
        last = (tuple(map(canonical, said[-1][:3])), said[-1].negated)
        assert (last in named) if not said[-1].ended else ((last[0], False) not in named)


def test_what_is_made_more_exact_at_once_is_one_fact() -> None:
    """A reply that says something, and then when it is so, makes one fact, which nobody knew without that."""
    graph, flight = KnowledgeGraph(), ("Sam", "flies to", "Rome")
    said = [Statement(*flight), Statement(*flight, qualifier="on Monday")]
    graph.apply(graph.changes_from([(one, [source(1)]) for one in said]), reset=False)
    assert texts(graph.facts(history=True)) == ["Sam flies to Rome (on Monday)"]


def told_when(*said: Sequence[str]) -> list[tuple[str, tuple[int, ...]]]:
    """What holds after statements with and without qualifiers, one a message, and which messages said so."""
    graph = KnowledgeGraph()
    for seq, (subject, relation, obj, *when) in enumerate(said, start=1):
        statement = Statement(subject, relation, obj, qualifier=" ".join(when))
        graph.apply(graph.changes_from([(statement, [source(seq)])]), reset=False)
    return [(str(fact), fact.said_in) for fact in graph.facts()]


def test_what_is_said_again_without_its_time_is_the_same_fact() -> None:
    """Who repeats a fact need not repeat when it is so; where that may be one of two, it is neither."""
    flight = ("Sam", "flies to", "Rome")
    assert told_when((*flight, "on Monday"), flight) == [("Sam flies to Rome (on Monday)", (1, 2))]
    assert told_when(flight, (*flight, "on Monday")) == [("Sam flies to Rome (on Monday)", (1, 2))]
    assert told_when((*flight, "on Monday"), (*flight, "on Friday"), flight) == [
        ("Sam flies to Rome (on Monday)", (1,)),
        ("Sam flies to Rome (on Friday)", (2,)),
        ("Sam flies to Rome", (3,)),
    ]
    assert told_when(flight, (*flight, "on Monday"), (*flight, "on Friday")) == [
        ("Sam flies to Rome (on Monday)", (1, 2)),
        ("Sam flies to Rome (on Friday)", (3,)),
    ]


def test_another_time_of_what_can_be_so_once_takes_the_place_of_the_first() -> None:
    """Who lives in one place at a time does so until one day; who flies somewhere may do so on two days."""
    home, flight = ("Sam", "lives in", "Oslo"), ("Sam", "flies to", "Rome")
    assert told_when((*home, "until May"), (*home, "until June")) == [("Sam lives in Oslo (until June)", (2,))]
    assert len(told_when((*flight, "in May"), (*flight, "in June"))) == 2


@pytest.mark.parametrize("over", ["Oslo", "a flat in Oslo", "new flat in Oslo"])
def test_what_is_over_is_found_by_a_shorter_or_longer_value(over: str) -> None:
    """In other words of the relation, the old value may be named in more words, in fewer, or in just these."""
    home = ("Sam", "rents", "a flat in Oslo")
    assert ended(home, ("Sam", "owns", "a boat in Rome"), over=("Sam", "lives in", over)) == ["a boat in Rome"]
    assert ended(home, ("Eve", "rents", "a room in Oslo"), over=("Sam", "lives in", over)) == ["a room in Oslo"]
    assert len(ended(home, over=("Sam", "lives in", "flat in Rome"))) == 1


def test_the_relations_that_most_subjects_have_come_first() -> None:
    """Those of facts that hold are counted, in whatever words; of equals, the first by name comes first."""
    graph = told(
        *(("Sam", "lives in", "Oslo"), ("Sam", "moved to", "Rome"), ("Eve", "lives in", "Rome")),
        *((name, "likes", "tea") for name in ("Sam", "Eve", "Tom")),
    )
    assert graph.relations(5) == ["likes", "lives in"]
    graph.restore(graph.facts(history=True)[0])
    assert graph.relations(1) == ["likes"]
    both = [(name, verb, "tea") for name in ("Sam", "Eve") for verb in ("sells", "buys")]
    assert told(*both).relations(5) == ["buys", "sells"]


def test_a_relation_that_one_subject_has_is_not_offered_for_others() -> None:
    """What is said of a single subject may be no relation at all, and another name is written in another form."""
    alone = ("Noor", "can work in the afternoon only until", "four")
    graph = told(alone, *((name, "is another name of", f"{name} Hall") for name in ("Bob", "Eve")))
    assert graph.relations(5) == []
    graph.apply(graph.changes_from([(Statement("Sam", *alone[1:]), [source(2)])]), reset=False)
    assert graph.relations(5) == [alone[1]]


def test_relations_that_no_fact_has_any_more_are_not_counted() -> None:
    """What nobody has any more is no relation; nor does a fact that was put again count twice."""
    graph = told(*((name, relation, "X") for relation in ("owns", "likes", "owns") for name in ("Sam", "Eve")))
    assert graph.relations(5) == ["likes", "owns"]
    graph.apply({"sam\towns\tx": None}, reset=False)
    assert graph.relations(5) == ["likes"]
    graph.apply({"eve\towns\tx": None}, reset=False)
    assert graph.relations(5) == ["likes"]


def test_a_fact_that_no_message_stated_has_no_number() -> None:
    """The newest message of a fact that was made by hand is number 0, which no message has."""
    assert Fact("Sam", "likes", "tea").newest == 0


def test_facts_are_found_by_their_keys_while_they_hold() -> None:
    """What was superseded, or never known, is not among them; they come in the order of the keys."""
    graph = told(("Sam", "lives in", "Oslo"), ("Sam", "lives in", "Rome"), ("Eve", "likes", "tea"))
    keys = ("eve\tlikes\ttea", "sam\tlives in\toslo", "sam\tlikes\tmilk", "sam\tlives in\trome")
    assert texts([*graph.holding(keys)]) == ["Eve likes tea", "Sam lives in Rome"]


def test_reset_forgets_all() -> None:
    """A state that was started anew replaces everything in the graph."""
    graph = told(("Sam", "likes", "tea"))
    graph.apply({}, reset=True)
    assert graph.facts(history=True) == []
    assert graph.find_names("Sam") == []


def test_a_graph_by_itself_restores_too() -> None:
    """Without a memory, a superseded fact holds again in the graph, and what took its place does not."""
    graph = told(("Sam", "lives in", "Oslo"), ("Sam", "lives in", "Rome"))
    graph.restore(graph.facts(history=True)[0])
    assert texts(graph.facts()) == ["Sam lives in Oslo"]
    assert [fact.superseded_by for fact in graph.facts(history=True)] == [0, 1]
