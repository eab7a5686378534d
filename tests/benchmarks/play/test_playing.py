"""Memories side by side: at each moment the page shows what each memory would send, and what that cost."""

import dataclasses
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memzoo.benchmarks import Question, Transcript
from memzoo.benchmarks.comparing import in_place_of_rules
from memzoo.benchmarks.measure.settings import Settings
from memzoo.benchmarks.play.playing import Play
from memzoo.benchmarks.play.stored import read_talk
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.benchmarks.variants import BASELINES, PRESETS, choose_variants
from memzoo.errors import ModelError, OptionError
from memzoo.memories import STRATEGIES, BaseMemory, create_memory
from memzoo.memories.strategies.named import further_names
from memzoo.stores import InMemoryStore
from memzoo.strategy import text_of
from memzoo.sync import drive
from memzoo.testing import ScriptedModel
from tests.benchmarks.play.talks import HOSTILE, SAID, Page, play, talk

WORDS = st.text(st.sampled_from("ab Oslo.\n<>&\x00\u202e\U0001f600"), min_size=1, max_size=40).filter(str.strip)


def by_hand(transcript: Transcript, name: str, budget: int = 200) -> Iterator[tuple[BaseMemory, str | None]]:
    """A memory at each moment, and what the user says next."""
    store = InMemoryStore(clock=lambda: datetime(2026, 5, 8, tzinfo=UTC))
    # A comparison counts the texts alone.
    counter = Settings().counting.of_message
    common: dict[str, Any] = {"store": store, "conversation_id": name, "token_counter": counter, "llm": "offline"}
    memory = PRESETS[name].make(budget, learn_every=1, human_prefix="Human", ai_prefix="AI", **common)
    assert memory is not None
    yield memory, transcript.exchanges[0].user_text
    for number, exchange in enumerate(transcript.exchanges, start=1):
        memory.add_messages(exchange.records)
        later = transcript.exchanges[number:]
        yield memory, later[0].user_text if later else None


def assert_same_views(transcript: Transcript, names: Sequence[str]) -> None:
    """Each view that is rebuilt from the page is what the memory sends by itself."""
    page = Page(json.loads(json.dumps([*play(transcript, *names).lines()])))
    for name in names:
        for moment, (memory, query) in enumerate(by_hand(transcript, name)):
            sent = [(message["role"], text_of(message)) for message in memory.messages(query)]
            assert [(role, text) for role, _, _, text in page.view(moment, name)] == sent, (name, moment)
            assert page.frame(moment, name)["tokens"] == memory.explain(query).tokens


@pytest.mark.parametrize("name", [*STRATEGIES, *further_names()])
def test_each_view_is_what_the_memory_sends(name: str) -> None:
    """At every moment, of every memory, rebuilt from differences alone."""
    assert_same_views(talk(), [name])


@settings(max_examples=10)
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6))
def test_any_conversation_is_rebuilt(said: Sequence[tuple[str, str]]) -> None:
    """Whatever is said, for a memory of each kind: messages, a summary, passages, facts."""
    assert_same_views(talk(said), ["window", "summary", "vector-retriever", "knowledge-graph"])


def test_what_a_large_model_taught_is_shown_step_by_step() -> None:
    """In place of what rules make of it; what the model has not read yet is shown word for word."""
    [whole] = sample_transcripts()
    variants = in_place_of_rules([whole], choose_variants(["window", "summary", "knowledge-graph:k=1"]))
    assert [one.name for one in variants[1:-1]] == ["window", "summary*", "knowledge-graph:k=1"]
    learnt = variants[2].learnt
    assert learnt
    begun = dataclasses.replace(whole, exchanges=whole.exchanges[:20], questions=())
    page = Page(Play(begun, [variants[2]], Settings()).lines())
    assert (page.start["learnt_by"], page.start["memories"][0]["asks"]) == (variants[2].learnt_by, False)
    assert [kind for _, kind, *_ in page.view(18, "summary*")] == ["message"] * 36
    (_, kind, _, text), *_ = page.view(20, "summary*")
    assert (kind, page.view(19, "summary*")[1:]) == ("recalled", [])
    assert text == learnt.steps[0].changes["summary"]
    assert page.frame(19, "summary*")["learning"][0] == learnt.steps[0].spent.calls
    assert page.frame(20, "summary*")["learning"] == [0, 0, 0]
    assert [number for *_, number, _ in page.view(20, "summary*")[1:]] == [39, 40]


def test_hostile_texts_are_told_as_they_are() -> None:
    """Tags, quotes and control characters are neither changed nor lost on the way."""
    page = Page(play(talk((text, "ok") for text in HOSTILE), "buffer").lines())
    assert [text for *_, text in page.view(len(HOSTILE), "buffer")][::2] == HOSTILE


def test_what_came_went_and_was_kept_is_told() -> None:
    """A window of one exchange keeps nothing of its beginning, a buffer all; the log tells what is not shown."""
    page = Page(play(talk(), "buffer", "window:k=1").lines())
    window, buffer = page.frame(3, "window:k=1"), page.frame(3, "buffer")
    [(at, removed, added)] = window["splices"]
    assert (at, removed, page.texts(added)) == (0, 2, [*SAID[2]])
    assert (window["log"], buffer["log"]) == ("o4s2", "s6")
    assert (window["kept"], buffer["kept"]) == (0, page.frame(2, "buffer")["tokens"])
    assert page.moments[3]["next"] == SAID[3][0]
    assert page.moments[3]["numbers"] == [5, 6]


def test_the_beginning_of_a_text_is_kept_as_far_as_it_stands() -> None:
    """A summary whose end alone was rewritten can be taken from the prompt cache up to there."""
    model = ScriptedModel("Mara bakes. Anna lives in Oslo.", "Mara bakes. Anna lives in Bergen.", "Bo.")
    page = Page(play(talk(SAID[:3]), "summary", model=model).lines())
    kept = [page.frame(moment, "summary")["kept"] for moment in range(4)]
    assert kept[:2] == [0, 0]
    assert 0 < kept[2] < page.frame(2, "summary")["tokens"]
    assert kept[3] < kept[2]
    [[old, new]] = page.frame(2, "summary")["rewritten"]
    assert page.texts([old, new]) == ["Anna lives in Oslo.", "Anna lives in Bergen."]


def test_the_costs_of_learning_add_up() -> None:
    """Turn by turn, they are what the memory counted itself."""
    page = Page(play(talk(), "summary-buffer", budget=40).lines())
    costs = [page.frame(moment, "summary-buffer")["learning"] for moment in range(len(SAID) + 1)]
    *_, (memory, _) = by_hand(talk(), "summary-buffer", 40)
    total = memory.usage.total
    assert [sum(each) for each in zip(*costs, strict=True)] == [
        total.calls,
        total.prompt_tokens,
        total.completion_tokens,
    ]
    assert total.calls > 0


def test_each_line_that_was_found_tells_how() -> None:
    """A search names how it looked and how well a piece fits."""
    page = Page(play(talk(), "vector-retriever").lines())
    why = page.frame(4, "vector-retriever")["why"]
    texts = page.pieces(4, "vector-retriever")
    *_, (memory, query), _ = by_hand(talk(), "vector-retriever")
    assert {page.ways[way] for _, way, _ in why} == {find.by for find in memory.explain(query).finds}
    assert any("flour" in texts[place] or "Anna" in texts[place] for place, _, score in why if score > 0)


def test_the_graph_is_told_fact_by_fact() -> None:
    """What came and what went since the turn before: a correction replaces what was wrong."""
    replies = ["Anna | lives in | Oslo", "NONE", "NONE", "Anna | lives in | Bergen", "NONE"]
    page = Page(play(talk(), "knowledge-graph", model=ScriptedModel(*replies)).lines())
    come, gone = page.frame(4, "knowledge-graph")["facts"]
    assert [page.facts[number][2] for number in come] == ["Bergen"]
    assert [page.facts[number][2] for number in gone] == ["Oslo"]


def test_a_model_that_fails_is_told_and_the_others_go_on() -> None:
    """What could not be learnt from waits and is shown; the next turn is taken all the same."""

    def failing(_messages: Any) -> str:
        raise ConnectionError("no route")

    page = Page(play(talk(), "summary", "buffer", model=failing).lines())
    assert "no route" in page.frame(1, "summary")["error"]
    assert [text for *_, text in page.view(1, "summary")] == [*SAID[0]]
    assert page.frame(5, "buffer")["error"] == ""


class TestAsking:
    """A question to all of them."""

    def test_now(self) -> None:
        """Each shows what it finds for it, the rules answer from that, and nothing is remembered."""
        shown = play()
        page = Page(shown.lines())
        known = Question("Where does Anna live?", "Bergen", ("Anna moved to Bergen last week.",))
        page.take(shown.ask(known.text, None, known))
        found = page.questions[0]["memories"]
        assert set(found) == set(STRATEGIES)
        assert "Bergen" in found["buffer"]["answer"]
        assert (found["buffer"]["says"], found["window"]["says"]) == (True, True)
        assert shown.say("Thanks!")[0]["number"] == len(SAID)
        assert shown.talk == talk()

    @pytest.mark.parametrize("name", [*STRATEGIES, *further_names()])
    def test_in_the_past(self, name: str) -> None:
        """Asked at an earlier moment, a memory shows what it showed then, for the same words."""
        shown = play(talk(), name)
        page = Page(shown.lines())
        for moment in range(len(SAID)):
            page.take(shown.ask(SAID[moment][0], moment))
            assert page.asked(moment, name) == page.view(moment, name)

    def test_of_a_model_that_fails(self) -> None:
        """The error stands where the answer would."""

        def failing(_messages: Any) -> str:
            raise ConnectionError("no route")

        shown = play(talk(), "buffer", model=failing)
        page = Page(shown.lines())
        page.take(shown.ask("Where?"))
        assert page.questions[0]["memories"]["buffer"]["answer"] == ""
        assert "no route" in page.questions[0]["memories"]["buffer"]["error"]

    def test_nothing_or_never(self) -> None:
        """An empty question, and one at a moment that was not, are refused."""
        shown = play(talk(), "buffer")
        Page(shown.lines())
        with pytest.raises(OptionError, match="empty"):
            shown.ask(" ")
        with pytest.raises(OptionError, match="0 to 5"):
            shown.ask("Where?", 6)

    def test_after_learning_failed(self) -> None:
        """What waits to be learnt from is shown, and answered from, all the same."""
        replies = [ConnectionError("no route")] * len(SAID)

        def failing_at_first(_messages: Any) -> str:
            if replies:
                raise replies.pop()
            return "In Bergen."

        shown = play(talk(), "summary", model=failing_at_first)
        page = Page(shown.lines())
        assert "no route" in page.frame(1, "summary")["error"]
        replies.clear()
        found = shown.ask("Where does Anna live?")["memories"]["summary"]
        assert (found["answer"], found["error"]) == ("In Bergen.", "")


class TestSaying:
    """A message that is typed."""

    def test_is_answered_and_remembered_by_all(self) -> None:
        """First is told what each showed for it, then what each shows after it."""
        shown = play()
        page = Page(shown.lines())
        end = len(SAID)
        for line in shown.say("Where does Anna live?", by="buffer"):
            page.take(line)
        assert [line["number"] for line in page.moments] == [*range(end + 2)]
        assert page.moments[end]["next"] == "Where does Anna live?"
        assert "Bergen" in page.moments[end + 1]["said"][1][1]
        assert [text for *_, text in page.view(end + 1, "window")][-2] == "Where does Anna live?"

    def test_can_be_answered_by_hand(self) -> None:
        """No model is asked then; a conversation may begin with it."""

        def failing(_messages: Any) -> str:
            raise ConnectionError("no route")

        shown = play(Transcript("New", ()), "buffer", model=failing)
        page = Page(shown.lines())
        for line in shown.say("I am Sam.", answer="Hello Sam!"):
            page.take(line)
        assert [text for *_, text in page.view(1, "buffer")] == ["I am Sam.", "Hello Sam!"]

    def test_without_an_answer_is_not_saved(self) -> None:
        """A model that fails is told; then nothing was said, and the page misses nothing."""

        def failing(_messages: Any) -> str:
            raise ConnectionError("no route")

        shown = play(talk(), "buffer", "vector-retriever", model=failing, budget=60)
        page = Page(shown.lines())
        with pytest.raises(ModelError, match="no route"):
            shown.say("Is the bakery open?")
        assert shown.moment == len(page.moments) - 1 == len(SAID)
        for line in shown.say("Is the bakery open?", answer="At seven."):
            page.take(line)
        assert [text for *_, text in page.view(len(SAID) + 1, "buffer")][-2:] == ["Is the bakery open?", "At seven."]
        assert "We open at seven" in page.view(len(SAID), "vector-retriever")[0][-1]

    @pytest.mark.parametrize(("text", "by"), [("", ""), ("Hello", "no-such")])
    def test_that_cannot_be_is_refused(self, text: str, by: str) -> None:
        """Nothing said, or a memory that is not on the page."""
        shown = play(talk(), "buffer")
        Page(shown.lines())
        with pytest.raises(OptionError):
            shown.say(text, by=by)


class TestStored:
    """A conversation of a store."""

    @staticmethod
    def kept() -> InMemoryStore:
        """A store with the conversation, in which a good model summed it up, and one message was forgotten."""
        store = InMemoryStore(clock=lambda: datetime(2026, 5, 8, tzinfo=UTC))
        model = ScriptedModel(*["A good summary of Mara."] * 9)
        memory = create_memory("summary", llm=model, store=store, conversation_id="mara", learn_every=1)
        for said, answer in SAID:
            memory.save_context({"input": said}, {"output": answer})
        memory.forget([2])
        memory.settle()
        return store

    def test_is_shown_with_what_was_learnt_there(self) -> None:
        """Beside what is learnt here; numbers are those of the store, gaps and all."""
        transcript, kept = read_talk(self.kept(), "mara")
        page = Page(play(transcript, "buffer", "summary", stored=kept).lines())
        assert [one["name"] for one in page.start["memories"]] == ["buffer", "summary", "summary, as stored"]
        assert "A good summary of Mara." in page.view(5, "summary, as stored")[0][-1]
        assert "summary, as stored" not in page.moments[4]["memories"]
        assert [number for _, _, number, _ in page.view(5, "buffer")] == [1, 3, 4, 5, 6, 7, 8, 9, 10]
        assert [*map(itemgetter("numbers"), page.moments)] == [[], [1], [3, 4], [5, 6], [7, 8], [9, 10]]

    def test_is_only_read(self) -> None:
        """Nothing of it can change: what is learnt and asked here stays here, and nothing can be said."""
        store = self.kept()
        before = drive(store.read("mara")), drive(store.read_state("mara", "summary"))
        shown = play(*read_talk(store, "mara")[:1], stored=read_talk(store, "mara")[1])
        page = Page(shown.lines())
        page.take(shown.ask("Where does Anna live?"))
        assert "summary, as stored" in page.questions[0]["memories"]
        with pytest.raises(OptionError, match="only be looked at"):
            shown.say("Hello")
        assert (drive(store.read("mara")), drive(store.read_state("mara", "summary"))) == before
        assert drive(store.states("mara")) == ["summary"]


def test_baselines_are_no_memories() -> None:
    """They are left out, and the seven are there."""
    start = next(iter(play().lines()))
    assert [one["name"] for one in start["memories"]] == list(STRATEGIES)
    assert not {one["name"] for one in start["memories"]} & set(BASELINES)
    assert [name for name, _ in groupby(one["asks"] for one in start["memories"])] == [False, True, False, True]
    assert isinstance(play(), Play)
