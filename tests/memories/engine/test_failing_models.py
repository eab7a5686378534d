"""A model that fails for long, or always at one exchange: what it costs, what is learnt, what is set aside."""

import functools
import itertools
import logging
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from memzoo.errors import ModelError, OptionError
from memzoo.memories import (
    BaseMemory,
    CombinedMemory,
    ConversationEntityMemory,
    VectorStoreRetrieverMemory,
    create_memory,
)
from memzoo.stores import InMemoryStore, Message, StateUpdate, export_conversation, import_conversation
from memzoo.sync import drive
from tests.memories.engine.failing import (
    ALWAYS,
    ASKING,
    FAILS,
    NEVER,
    POISON,
    TURNS,
    Clock,
    Scripted,
    make,
    talked,
    turn,
)

COSTS = Path(__file__).parents[3] / "docs" / "costs.md"


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "memzoo")


class Poisoned(NamedTuple):
    """A memory after 100 turns of which one was bad, and what its model was asked until then."""

    memory: BaseMemory
    calls: int
    failures: int


@functools.cache
def poisoned(name: str) -> Poisoned:
    """Made once, for tests that only look at it."""
    memory, model = talked(name, POISON)
    return Poisoned(memory, model.calls, model.failures)


@pytest.mark.parametrize("name", ASKING)
def test_the_docs_tell_what_a_failing_model_costs(name: str) -> None:
    """The calls for 100 turns of a load and a save are those of the table: healthy, with a bad exchange, down."""
    (row,) = re.findall(rf"^\| `{name}` \| ([\d, |]+) \|$", COSTS.read_text(encoding="utf-8"), re.MULTILINE)
    told = [int(cell.replace(",", "")) for cell in row.split("|")]
    (_, healthy), (_, down) = talked(name, NEVER), talked(name, ALWAYS)
    assert [healthy.calls, poisoned(name).calls, poisoned(name).failures, down.calls] == told


@pytest.mark.parametrize("name", ASKING)
def test_everything_but_the_bad_exchange_is_learnt(name: str) -> None:
    """It alone is set aside, is kept, and is shown as far as there is room; nothing else waits."""
    memory = poisoned(name).memory
    assert [entry.seq for entry in memory.set_aside()] == [11, 12]
    assert len(memory.history()) == 2 * TURNS
    assert name == "summary-buffer" or "POISON" in str(memory.messages("Sam?"))
    state = drive(memory.store.read_state("a", memory.learners[0].name))
    assert state.watermark >= 2 * TURNS - 20


def test_exchanges_that_are_bad_in_a_row_are_set_aside_one_by_one() -> None:
    """Several next to each other stop nothing either."""
    model, clock = Scripted(FAILS[POISON]), Clock()
    memory = make("summary", model, clock)
    for number in range(40):
        turn(memory, clock, number, bad=number in (4, 5, 6))
    assert [entry.seq for entry in memory.set_aside()] == [9, 10, 11, 12, 13, 14]


@pytest.mark.parametrize(("name", "missed"), [(name, 400 if name == "summary" else 200) for name in ASKING])
def test_a_long_outage_is_caught_up_with(name: str, missed: int) -> None:
    """A model with a context of 4,096 tokens learns all of it, and is asked nothing longer once it said so (I14)."""
    model, clock = Scripted(FAILS[ALWAYS]), Clock()
    memory = make(name, model, clock, max_prompt_tokens=20_000, **ASKING[name])
    for number in range(missed):
        clock.now += 30
        memory.save_context({"input": f"#{number}# Sam {'buys tea, ' * 20}"}, {"output": "Noted. " * 10})

    too_long: list[int] = []

    def has_a_small_context(prompt: str) -> bool:
        if (tokens := len(prompt) // 4) > 4096:
            too_long.append(tokens)
            raise RuntimeError(f"400: maximum context length is 4096 tokens, but you sent {tokens}")
        return False

    model.fails = has_a_small_context
    for _ in range(4):
        clock.now += 1000
        memory.save_context({"input": "Sam?"}, {"output": "ok"})
    memory.settle()  # a save takes only a few steps
    assert len(too_long) == 1
    assert memory.set_aside() == []
    assert "not shown" not in str(memory.messages("Sam?"))
    assert drive(memory.store.read_state("a", memory.learners[0].name)).watermark >= 2 * missed - 10


def test_a_save_that_raises_says_for_how_long_nothing_is_asked() -> None:
    """With `on_model_error="raise"` each save tells that it was not learnt from, and `settle` asks at once."""
    model, clock = Scripted(FAILS[ALWAYS]), Clock()
    memory = make("summary", model, clock)
    memory = memory.clone(on_model_error="raise")
    for calls, text in ((1, "refused"), (2, "refused"), (2, "failed 2 times in a row; it is asked again in 2 s")):
        with pytest.raises(ModelError, match=text):
            memory.save_context({"input": "Sam"}, {"output": "ok"})
        assert model.calls == calls
    model.fails = FAILS[NEVER]
    memory.settle()
    assert memory.load_memory_variables({}) == {"history": "A summary."}


@pytest.mark.parametrize("combined", [False, True])
def test_after_settle_loads_ask_the_model_again(*, combined: bool) -> None:
    """Also where nothing is left to learn, since it was only a load that failed."""
    model, clock = Scripted(FAILS[NEVER]), Clock()
    memory = make("entity", model, clock)
    assert isinstance(memory, ConversationEntityMemory)
    memory = memory.clone(ask_at_load=True)
    if combined:
        memory = CombinedMemory(memories=[memory], learn_every=1)
    turn(memory, clock, 1)
    model.fails = FAILS[ALWAYS]
    memory.load_memory_variables({"input": "Sam?"})
    model.fails, asked = FAILS[NEVER], model.calls
    memory.load_memory_variables({"input": "Sam?"})
    assert model.calls == asked
    memory.settle()
    memory.load_memory_variables({"input": "Sam?"})
    assert model.calls == asked + 1


def test_a_load_that_leaves_the_model_alone_costs_what_any_load_costs() -> None:
    """Where nothing waits, and where the model has just failed, the state is looked up once."""

    class Watched(InMemoryStore):
        lookups = 0

        async def read_state(self, conversation_id: str, strategy: str, *, since: int = 0) -> StateUpdate:
            self.lookups += strategy == "summary"
            return await super().read_state(conversation_id, strategy, since=since)

    for weather in (NEVER, ALWAYS):
        store, clock = Watched(), Clock()
        memory = make("summary", Scripted(FAILS[weather]), clock, store=store)
        turn(memory, clock, 1)
        store.lookups = 0
        memory.load_memory_variables({})
        assert store.lookups == 1, weather


def test_a_long_template_leaves_less_room_for_what_is_new() -> None:
    """Then new messages are cut until a prompt has room for both, and nobody is asked in vain."""
    template = f"{'Write in the style of the house. ' * 90} {{{{ summary }}}} {{{{ new_lines }}}}"
    model = Scripted(FAILS[NEVER])
    memory = make("summary", model, max_prompt_tokens=1536, on_model_error="raise", prompts={"summary": template})
    for calls in (1, 2):
        memory.save_context({"input": f"Sam {'speaks of tea ' * 200}"}, {"output": "ok"})
        assert model.calls == calls


def test_in_the_background_the_model_is_left_alone_too() -> None:
    """Saves return at once, and what runs behind them asks no more often than they would."""
    model, clock = Scripted(FAILS[ALWAYS]), Clock()
    memory = make("summary", model, clock, learn="background")
    for number in range(50):
        turn(memory, clock, number)
        drive(memory.learners[0].wait())
    assert model.calls <= 12
    model.fails = FAILS[NEVER]
    memory.settle()
    assert memory.load_memory_variables({}) == {"history": "A summary."}


def test_an_embedder_may_refuse_an_exchange_too() -> None:
    """The rest is embedded, and the bad one is found by its words."""

    def embed(texts: list[str]) -> list[list[float]]:
        if any("POISON" in text for text in texts):
            raise ValueError("400: refused")
        return [[len(text), 1.0] for text in texts]

    memory = VectorStoreRetrieverMemory(
        embedder=embed, on_model_error="defer", clock=itertools.count(step=1000).__next__, token_counter="approximate"
    )
    for number in range(20):
        memory.save_context({"input": "POISON apples" if number == 4 else f"pears {number}"}, {"output": "ok"})
    assert [entry.seq for entry in memory.set_aside()] == [9, 10]
    assert "apples" in str(memory.messages("What about apples?"))


def test_members_set_aside_for_themselves() -> None:
    """A combined memory tells of what any member set aside, once, and lets all of them take it up."""
    model, clock = Scripted(FAILS[POISON]), Clock()
    members = [("summary", {"llm": model}), ("knowledge-graph", {"llm": model})]
    memory = CombinedMemory(memories=members, on_model_error="defer", clock=clock, learn_every=1)
    for number in range(30):
        turn(memory, clock, number, bad=number == 5)
    assert [entry.seq for entry in memory.set_aside()] == [11, 12]
    model.fails = FAILS[NEVER]
    memory.relearn(only_set_aside=True)
    assert memory.set_aside() == []


def test_what_was_set_aside_travels() -> None:
    """An exported conversation brings along what was set aside, and no strategy takes it for a fact of its own."""
    memory = poisoned("knowledge-graph").memory
    target = InMemoryStore()
    import_conversation(target, export_conversation(memory.store, "a"), "a")
    copy = make("knowledge-graph", Scripted(FAILS[POISON]), store=target)
    assert [entry.seq for entry in copy.set_aside()] == [11, 12]
    assert copy.messages("Sam?") == memory.messages("Sam?")


def test_what_was_set_aside_is_not_evicted() -> None:
    """With `keep_history=False` it stays in the log, and can be learnt from later; anything else cannot."""
    model, clock = Scripted(FAILS[POISON]), Clock()
    memory = make("summary", model, clock, keep_history=False)
    for number in range(30):
        turn(memory, clock, number, bad=number == 5)
    assert [entry.seq for entry in memory.entries()] == [11, 12, 59, 60]
    with pytest.raises(OptionError, match="keep_history=False"):
        memory.relearn()
    model.fails = FAILS[NEVER]
    memory.relearn(only_set_aside=True)
    assert memory.set_aside() == []


def test_replies_of_no_use_set_exchanges_aside_too() -> None:
    """A model that answers is there, so no other exchange has to prove it; a save asks once."""
    asked: list[int] = []
    now = 0.0

    def speechless(messages: list[Message]) -> str:
        asked.append(len(messages))
        return " "

    memory = create_memory("summary", llm=speechless, on_model_error="defer", clock=lambda: now, learn_every=1)
    for number in range(12):
        now += 1000
        before = len(asked)
        memory.save_context({"input": f"The cat is {number}."}, {"output": "Noted."})
        assert len(asked) - before <= 1
    assert [entry.seq for entry in memory.set_aside()][:4] == [1, 2, 3, 4]
    assert len(memory.history()) == 24


def test_an_outage_after_replies_of_no_use_sets_nothing_aside() -> None:
    """Only a reply shows that the model is still there; that it was there the last time is not enough."""
    now = 0.0
    weather: list[str | ModelError] = [*[" "] * 3, *[ModelError("down")] * 3]

    def speechless(messages: list[Message]) -> str:
        if isinstance(one := weather.pop(0) if weather else "Cats.", ModelError):
            raise one
        return one

    memory = create_memory("summary", llm=speechless, on_model_error="defer", clock=lambda: now, learn_every=1)
    for number in range(6):
        now += 1000
        memory.save_context({"input": f"The cat is {number}."}, {"output": "Noted."})
        assert memory.set_aside() == []
    now += 1000
    memory.settle()
    assert memory.load_memory_variables({}) == {"history": "Cats."}


def test_a_load_asks_no_model_that_has_just_failed() -> None:
    """Somebody waits for what it returns; ten minutes later it tries."""
    now, calls = [0.0], list[object]()

    def down(messages: list[Message]) -> str:
        calls.append(messages)
        raise ModelError("down")

    memory = create_memory("summary", llm=down, on_model_error="defer", clock=lambda: now[0], learn_every=1)
    memory.save_context({"input": "hi"}, {"output": "hello"})
    for _ in range(3):
        assert "hi" in memory.load_memory_variables({})["history"]
    assert len(calls) == 1
    now[0] = 601.0
    memory.load_memory_variables({})
    assert len(calls) == 2


def test_another_process_knows_how_long_prompts_may_be() -> None:
    """What the endpoint refused once as too long is not asked again, however often a process starts anew."""
    store, refused = InMemoryStore(), 0

    def model(messages: list[Message]) -> str:
        nonlocal refused
        if len(str(messages)) > 6_000:
            refused += 1
            raise RuntimeError("400 - This model's maximum context length is 2048 tokens")
        return "A summary."

    for number in range(4):
        memory = make("summary", model, store=store)
        memory.add_messages(
            [{"role": "user", "content": f"{number} words " * 3000}, {"role": "assistant", "content": "ok"}]
        )
        memory.settle()
    assert refused == 1
