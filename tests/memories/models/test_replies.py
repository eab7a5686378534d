"""Reading what models answer: every malformed reply that LangChain got wrong, and some that others send."""

import json

import pytest

from memzoo.errors import ModelReplyError
from memzoo.memories.models.replies import Statement, amendments, names, prose, statements

REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I can’t assist with this request.",
    "Sorry, I cannot do this",
    "I apologize, but I am unable to comply.",
    "I cannot extract names from this text.",
    "I can't do that.",
    "I am not able to help",
    "I won't do that.",
    "As an AI language model, I cannot do that.",
]

PROSE = "The user is asking about their younger brother, who lives far away."


class TestNames:
    """Lists of names."""

    @pytest.mark.parametrize(
        "reply", ["", " \n ", "NONE", "None", "none.", "NONE.", "Output: NONE", "NOTHING NEW", "N/A"]
    )
    def test_may_be_empty(self, reply: str) -> None:
        """Nothing, and all ways to say it, is no name (M1)."""
        assert names(reply) == []

    @pytest.mark.parametrize(
        "reply",
        [
            "Sam\nBob",
            "Sam, Bob",
            "Sam,Bob",
            "1. Sam\n2. Bob",
            "1) Sam\n2) Bob",
            "(1) Sam\n(2) Bob",
            "- Sam\n- Bob",
            "* **Sam**\n* **Bob**",
            "• Sam\n• Bob",
            "Output: Sam, Bob",
            "**Output:** Sam, Bob",
            "Entities:\nSam\nBob",
            "Names: Sam\nNames: Bob",
            '"Sam", "Bob"',
            "Sam\n\n\nBob\n",
            "Sam.\nBob.",
            "```\nSam\nBob\n```",
            "```text\nSam, Bob\n```",
            '["Sam", "Bob"]',
            '```json\n["Sam", "Bob"]\n```',
            "Sam, Bob,",
            "Sam, sam, SAM, Bob, Sam",
            "Sam\nBob\nNONE",
            "Here are the names:\n- Sam\n- Bob",
            '{"entities": ["Sam", "Bob"]}',
            '[{"name": "Sam"}, {"name": "Bob"}]',
        ],
    )
    def test_are_read_in_any_form(self, reply: str) -> None:
        """Bullets, labels, quotes, fences, JSON and lead-ins are no part of a name; each counts once (M1, C3)."""
        assert names(reply) == ["Sam", "Bob"]

    @pytest.mark.parametrize(
        ("reply", "expected"),
        [
            ("Acme, Inc.", ["Acme, Inc."]),
            ("Sam, Acme, Inc., Bob", ["Sam", "Acme, Inc.", "Bob"]),
            ("Acme, Inc.\nSam", ["Acme, Inc.", "Sam"]),
            ("Martin Luther King, Jr.", ["Martin Luther King, Jr."]),
            ("Paris, France\nSam", ["Paris, France", "Sam"]),
            ("U.S.\nJ. R. R. Tolkien\nDr. No", ["U.S.", "J. R. R. Tolkien", "Dr. No"]),
            ("1984\n50 Cent\n3M", ["1984", "50 Cent", "3M"]),
            ("C++, C#, C", ["C++", "C#", "C"]),
            ("Nothing Else Matters", ["Nothing Else Matters"]),
        ],
    )
    def test_may_have_commas_dots_digits_and_signs(self, reply: str, expected: list[str]) -> None:
        """What belongs to a name stays with it (M1)."""
        assert names(reply) == expected

    @pytest.mark.parametrize("reply", [*REFUSALS, PROSE, PROSE.replace(",", "") * 3])
    def test_are_not_prose(self, reply: str) -> None:
        """A refusal, or text where names were asked for, is an error (M1, M3)."""
        with pytest.raises(ModelReplyError, match="cannot be used, nothing was changed"):
            names(reply)


def notes(reply: str, known: list[str], source: str) -> dict[str, str]:
    """The notes in a reply, the lines on a name together."""
    found = dict[str, str]()
    for name, text, _ in amendments(reply, known, source):
        found[name] = f"{found.get(name, '')} {text}".strip()
    return found


class TestNotes:
    """Notes by name."""

    @pytest.mark.parametrize(
        "reply",
        [
            "Sam: is 30.\nBob: is 31.",
            "- Sam: is 30.\n- Bob: is 31.",
            "1. **Sam**: is 30.\n2. **Bob**: is 31.",
            "Notes follow.\nSam: is 30.\nBob: is 31.",
            "```\nSam: is 30.\nBob: is 31.\n```",
            '{"Sam": "is 30.", "Bob": "is 31."}',
            "Output:\nSam: is 30.\n\nBob:\nis 31.",
            "Sam: is 30.\nBob: is 31.\nEve: NOTHING NEW",
            "Sam: is 30.\nBob: is 31.\nEve:",
        ],
    )
    def test_are_read_in_any_form(self, reply: str) -> None:
        """Bullets, labels, JSON, notes on the next line and empty notes are understood (M1)."""
        assert notes(reply, ["Sam", "bob", "Eve"], "") == {"Sam": "is 30.", "Bob": "is 31."}

    def test_go_on_over_lines(self) -> None:
        """A note may have several lines, with colons in them."""
        reply = "Sam: likes two things.\nFirst: tea\nand milk\nBob: is 31."
        assert notes(reply, ["Sam", "Bob"], "") == {"Sam": "likes two things. First: tea and milk", "Bob": "is 31."}

    def test_stand_behind_any_name(self) -> None:
        """A line behind a name is a note on it, whether anybody knew or wrote the name before or not."""
        found = notes("Sam: a\nEve: b\nZoe Hall: c\nthe oven: d", ["Sam"], "Human: Eve was there")
        assert found == {"Sam": "a", "Eve": "b", "Zoe Hall": "c", "the oven": "d"}

    @pytest.mark.parametrize("line", ["Note: that is all", "Here is the list: see below", "Human: Eve was there"])
    def test_do_not_stand_behind_what_is_no_name(self, line: str) -> None:
        """Words about the answer make no note, nor does a line of the conversation that is repeated."""
        assert list(notes(f"Sam: a\n{line}", ["Sam"], "Human: Eve was there")) == ["Sam"]

    @pytest.mark.parametrize("reply", ["NOTHING NEW", "nothing new.", "Output: NOTHING NEW", "None"])
    def test_may_be_none(self, reply: str) -> None:
        """Nothing new is no error and no note."""
        assert notes(reply, ["Sam"], "") == {}

    @pytest.mark.parametrize(
        "text",
        ["NOTHING NEW", "None", "I'm sorry, but I can't help with that.", "", "No new information provided."],
    )
    def test_of_no_worth_are_left_out(self, text: str) -> None:
        """A note that says nothing, or refuses, never replaces the one that is known (M3, LangChain PR #2397)."""
        assert notes(f"Sam: {text}\nBob: is 31.", ["Sam", "Bob"], "") == {"Bob": "is 31."}

    @pytest.mark.parametrize("reply", ["", "Sure!", "Note: is here", *REFUSALS])
    def test_are_not_prose(self, reply: str) -> None:
        """A reply without a note that was asked for is an error (M3)."""
        with pytest.raises(ModelReplyError):
            notes(reply, ["Sam"], "")


class TestStatements:
    """Facts as triples."""

    @pytest.mark.parametrize(
        ("reply", "subject", "relation", "obj"),
        [
            ("Sam | likes | tea", "Sam", "likes", "tea"),
            ("Sam|likes|tea", "Sam", "likes", "tea"),
            ("(Paris, is in, Paris, France)", "Paris", "is in", "Paris, France"),
            ("(A,b,c)", "A", "b", "c"),
            ("Nevada, is, state", "Nevada", "is", "state"),
            ("Output: (A, b, c)", "A", "b", "c"),
            ("(A, b, c).", "A", "b", "c"),
            ("(A, b, c", "A", "b", "c"),
            ("A, b, c)", "A", "b", "c"),
            ("1. (A, b, c)", "A", "b", "c"),
            ("- A | b | c", "A", "b", "c"),
            ('"A" | "b" | "c"', "A", "b", "c"),
            ("A -> b -> c", "A", "b", "c"),
            ("A\tb\tc", "A", "b", "c"),
            ("```\nA | b | c\n```", "A", "b", "c"),
            ("(Sam, is, 6,000 years old)", "Sam", "is", "6,000 years old"),
            ("Sam | is called | Sam (the cook)", "Sam", "is called", "Sam (the cook)"),
            ("(Sam (the cook), is, tall)", "Sam (the cook)", "is", "tall"),
            ('[["A", "b", "c"]]', "A", "b", "c"),
            ('[{"subject": "A", "relation": "b", "object": "c"}]', "A", "b", "c"),
            ('[{"relation": "b", "object": "c", "subject": "A"}]', "A", "b", "c"),
            ('{"triples": [["A", "b", "c"]]}', "A", "b", "c"),
        ],
    )
    def test_are_read_in_any_form(self, reply: str, subject: str, relation: str, obj: str) -> None:
        """Brackets or none, commas in the object, labels, dots, numbers and JSON: no letter is lost (M2)."""
        assert statements(reply) == [Statement(subject, relation, obj)]

    @pytest.mark.parametrize(
        ("reply", "qualifier"),
        [
            ("Sam | flies to | Rome | on 3 May 2026", "on 3 May 2026"),
            ("| Sam | flies to | Rome | if it is cheap |", "if it is cheap"),
            ("Sam | flies to | Rome |", ""),
            ("Sam | flies to | Rome | -", ""),
            ("Sam | flies to | Rome | N/A", ""),
            ("Sam | flies to | Rome | in May | with Eve", "in May | with Eve"),
            ('[["Sam", "flies to", "Rome", "on 3 May 2026"]]', "on 3 May 2026"),
        ],
    )
    def test_may_say_when(self, reply: str, qualifier: str) -> None:
        """A fourth part tells when, where or on what condition; what stands for nothing is nothing."""
        assert statements(reply) == [Statement("Sam", "flies to", "Rome", qualifier=qualifier)]

    def test_may_join_two_names(self) -> None:
        """What the prompts ask for where two names mean one is a fact about them."""
        assert statements("Bob = Robert Hall") == [Statement("Bob", "is another name of", "Robert Hall")]

    @pytest.mark.parametrize("separator", ["\n", "<|>", " <|> ", ", ", "\n\n", "\nThis is no triple\n", "\n- "])
    def test_may_be_several(self, separator: str) -> None:
        """Triples separated by line ends, by "<|>" or by commas are all read; what is no triple is skipped (M2)."""
        expected = [Statement("A", "b", "c"), Statement("D", "e", "f")]
        assert statements(f"(A, b, c){separator}(D, e, f)") == expected

    @pytest.mark.parametrize(
        "reply",
        [
            "NOT Sam | is | tall",
            "- NOT: Sam | is | tall",
            "NOT (Sam, is, tall)",
            "Sam | is not | tall",
            "Sam | isn't | tall",
        ],
    )
    def test_may_be_negated(self, reply: str) -> None:
        """A denial is read as such, before the line or in the relation (K2)."""
        assert statements(reply) == [Statement("Sam", "is", "tall", negated=True)]

    def test_keep_names_that_begin_like_a_denial(self) -> None:
        """A name such as "Nottingham" is no denial."""
        assert statements("Nottingham | is in | England") == [Statement("Nottingham", "is in", "England")]

    @pytest.mark.parametrize(
        "reply",
        [
            "NO LONGER Sam | lives in | Oslo",
            "- NO LONGER: (Sam, lives in, Oslo)",
            "**NO LONGER** | Sam | lives in | Oslo",
            "Sam | no longer lives in | Oslo",
            '[["NO LONGER Sam", "lives in", "Oslo"]]',
        ],
    )
    def test_of_what_ended(self, reply: str) -> None:
        """What was so before and is no longer is told apart from what was never so."""
        assert statements(reply) == [Statement("Sam", "lives in", "Oslo", negated=True, ended=True)]
        assert statements("NOTTINGHAM | is in | England")[0].negated is False

    def test_keep_their_order(self) -> None:
        """Who moves to Rome and back to Oslo lives in Oslo: a statement that comes again keeps its last place (K2)."""
        reply = "Sam | lives in | Oslo\nSam | lives in | Rome\nSam | lives in | Oslo"
        assert [statement.object for statement in statements(reply)][-2:] == ["Rome", "Oslo"]

    @pytest.mark.parametrize("reply", ["", "NONE", "None.", "NOTHING NEW", "Triples: NONE"])
    def test_may_be_none(self, reply: str) -> None:
        """No fact is no error (M2)."""
        assert statements(reply) == []

    @pytest.mark.parametrize("reply", ["Sam likes tea.", "(A, b)", "a | | c", '["A", "b", "c"]', "[]", *REFUSALS])
    def test_are_not_prose(self, reply: str) -> None:
        """A reply without a triple is an error (M2, M3)."""
        with pytest.raises(ModelReplyError):
            statements(reply)


class TestProse:
    """Summaries."""

    @pytest.mark.parametrize("text", ["", " ", "```\n```", "New summary:", *REFUSALS])
    def test_is_neither_nothing_nor_a_refusal(self, text: str) -> None:
        """Nothing, or a refusal, is an error (M3)."""
        with pytest.raises(ModelReplyError):
            prose(text, "summary")

    def test_takes_off_a_label_named_with_its_colon(self) -> None:
        """Whoever writes the colon too means the same label."""
        assert prose("Topic: tea", "Topic:") == prose("Topic: tea", "Topic") == "tea"

    @pytest.mark.parametrize(
        "text",
        [
            "Sam said: I cannot come.",
            "As an AI researcher, Anna works in Oslo.",
            "Summary writing is what Sam does: he likes it.",
            "The user is sorry.\n\n```\ncode\n```",
        ],
    )
    def test_may_look_a_little_like_either(self, text: str) -> None:
        """A summary that speaks of refusals, of AI or of summaries is one."""
        assert prose(text, "summary") == text


@pytest.mark.parametrize(
    "reply", ["NOTHING NEW", "- **Nothing new.**", "Answer: none", "No new facts", "No information"]
)
def test_what_says_nothing_new_changes_nothing(reply: str) -> None:
    """A reply that says only that there is nothing new leaves the known text."""
    assert prose(reply, "summary", "Sam is here.") == "Sam is here."


@pytest.mark.parametrize("reply", ["Nothing new, except that Sam left", "Nonetheless Sam left"])
def test_what_says_more_is_a_text(reply: str) -> None:
    """A reply that only begins like that is the new text."""
    assert prose(reply, "summary", "Sam is here.") == reply


def test_errors_show_what_came() -> None:
    """The error shows the beginning of the reply, not megabytes of it."""
    with pytest.raises(ModelReplyError) as caught:
        notes(json.dumps(["x" * 10_000]), ["Sam"], "")
    assert "xxx" in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("relation", "read"),
    [
        ("is not allergic to", ("is allergic to", True)),
        ("can't eat", ("can eat", True)),
        ("won’t come to", ("will come to", True)),
        ("had not known about", ("had known about", True)),
        ("can't wait for", ("can't wait for", False)),
        ("cannot eat", ("cannot eat", False)),
        (
            "is closed on Tuesdays, not on Mondays, because of",
            ("is closed on Tuesdays, not on Mondays, because of", False),
        ),
        ("notes", ("notes", False)),
    ],
)
def test_a_relation_is_denied_by_the_not_of_its_verb(relation: str, read: tuple[str, bool]) -> None:
    """A "not" behind more words, and what is only said with one, deny nothing; no half of a verb is left."""
    (statement,) = statements(f"Sam | {relation} | tea")
    assert (statement.relation, statement.negated) == read


@pytest.mark.parametrize(
    "name", ['the band "Summer Sounds"', '"Brave" and its singer', "the first “听鲸”", "the 'Lighthouse' bun", "八“重”"]
)
def test_quotes_inside_a_name_stay(name: str) -> None:
    """A name that ends or begins with a title in quotes keeps both of them, in facts, notes and lists."""
    assert statements(f"Eve | hears | {name}")[0].object == name
    assert statements(f"{name} | is | new")[0].subject == name
    assert amendments(f"Eve: Eve hears {name}", [], "")[0].text == f"Eve hears {name}"
    assert names(name) == [name]
    assert statements(f'Eve | hears | "{name}')[0].object.strip('"') == name.strip('"')


def test_a_long_label_is_an_entry_of_its_own() -> None:
    """What has no name may have a label of many words; its line is not added to the note before it."""
    reply = "Mara: Bakes.\nthe man with the quail and the little dog: The man with the quail cried.\n"
    assert [one.name for one in amendments(reply, [], "")] == ["Mara", "the man with the quail and the little dog"]


@pytest.mark.parametrize("mark", ["NOT", "NO LONGER"])
def test_another_name_can_be_taken_back(mark: str) -> None:
    """A mark stands before two names, too."""
    ended = mark == "NO LONGER"
    assert statements(f"{mark} Bob = Eve") == [Statement("Bob", "is another name of", "Eve", negated=True, ended=ended)]
