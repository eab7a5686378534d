"""Learning in portions: one model call for several exchanges, and nothing leaves the view before it is learnt."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memzoo import Conversation, MemoryProvider, create_memory
from memzoo.errors import ModelError
from memzoo.memories import BaseMemory
from memzoo.memories.models.chat import as_model
from memzoo.stores import Entry, InMemoryStore, Message
from memzoo.strategy import Changes, Log, State, View, strategy
from memzoo.sync import drive
from memzoo.testing.scripted import FlakyModel
from tests.clerk import clerk

MEMBERS: list[tuple[str, dict[str, Any]]] = [
    ("summary", {"llm": clerk}),
    ("entity", {"llm": clerk}),
    ("knowledge-graph", {"llm": clerk}),
]
LEARNERS: dict[str, dict[str, Any]] = {
    "summary": {"llm": clerk},
    "summary-buffer": {"llm": clerk, "max_token_limit": 400},
    "summarizing-window": {"llm": clerk, "max_messages": 6},
    "entity": {"llm": clerk, "k": 1},
    "knowledge-graph": {"llm": clerk},
    "combined": {"memories": MEMBERS},
}
PORTIONS = ["summary", "entity", "knowledge-graph"]


@strategy
class Counting(BaseMemory):
    """A strategy of somebody else: it counts messages, and shows none."""

    name = "counting"

    async def derive(self, state: State, entries: Sequence[Entry], log: Log) -> Changes:
        """Count the new messages."""
        return Changes({"seen": [*state.items.get("seen", []), len(entries)]})

    async def view(self, log: Log, state: State, query: str | None) -> View:
        """Show the counts."""
        return View.of([], [str(state.items.get("seen"))])


def asked() -> FlakyModel:
    """A model by rule that counts its calls."""
    return FlakyModel(as_model(clerk))


def say(memory: BaseMemory, *numbers: int, words: int = 3) -> None:
    """Save exchanges with these numbers."""
    for number in numbers:
        memory.save_context({"input": f"Sam likes tea{number}"}, {"output": f"Noted{number}." + " so it is" * words})


def count_words(message: Message) -> int:
    """A token counter."""
    return len(str(message["content"]).split())


def waiting(memory: BaseMemory) -> list[int]:
    """The log numbers that no state of the memory has taken in."""
    return sorted(
        {entry.seq for learner in memory.learners for entry in memory.entries(after=drive(learner.refresh()).watermark)}
    )


def shown(memory: BaseMemory) -> set[int]:
    """The log numbers in the memory's view."""
    return {entry.seq for entry in memory.messages("Who is Sam?", catch_up=False).entries if entry}


@pytest.mark.parametrize("name", ["summary", "summary-buffer", "summarizing-window", "combined"])
@given(replies=st.lists(st.integers(1, 600), min_size=1, max_size=7), every=st.integers(1, 8), room=st.data())
def test_each_exchange_is_shown_or_learnt_after_every_save(
    name: str, replies: list[int], every: int, room: st.DataObject
) -> None:
    """However long the replies are: each exchange is in the view word for word, or its state has taken it in."""
    options: dict[str, Any] = LEARNERS[name] | {"max_pending_tokens": room.draw(st.sampled_from([0, 100, 1000, 4000]))}
    memory = create_memory(name, learn_every=every, **options)
    for number, words in enumerate(replies):
        say(memory, number, words=words)
        assert {*waiting(memory)} <= shown(memory)


@given(replies=st.lists(st.integers(1, 300), min_size=1, max_size=6), every=st.integers(2, 8))
def test_a_limit_of_all_members_leaves_room_for_portions(replies: list[int], every: int) -> None:
    """With a limit for the whole view, what waits in a member comes before summaries and facts."""
    members: list[Any] = [*MEMBERS[:2], ("vector-retriever", {}), ("window", {"k": 1})]
    memory = create_memory("combined", memories=members, max_token_limit=1500, learn_every=every)
    for number, words in enumerate(replies):
        say(memory, number, words=words)
        missing = {*waiting(memory)} - shown(memory)
        # The retriever finds by words, and shows what it has not stored as well as what it has.
        held = [drive(one.find_waiting(one.cached_state.newest)) for one in memory.learners]
        assert not missing & {entry.seq for one in held if one.is_held for entry in one.entries}


@pytest.mark.parametrize(("name", "portion"), [("summary", 16), ("entity", 8), ("knowledge-graph", 8)])
def test_a_portion_has_its_default(name: str, portion: int) -> None:
    """Without options, one call learns from 8 exchanges, or 16 of a summary; until then, all of them are shown."""
    model = asked()
    memory = create_memory(name, llm=model)
    for number in range(portion - 1):
        say(memory, number)
        assert shown(memory) == {*range(1, 2 * number + 3)}
    assert (memory.learners[0].rules.portion, model.calls) == (portion, 0)
    say(memory, portion)
    assert (model.calls, waiting(memory)) == (1, [])


@pytest.mark.parametrize(("given", "portions"), [({}, [16, 8, 1]), ({"learn_every": 2}, [2, 2, 2])])
def test_members_have_their_own_defaults(given: dict[str, Any], portions: list[int]) -> None:
    """A combined memory, and a copy of it, pass on the option that was given; a strategy without a model has 1."""
    memory = create_memory("combined", memories=[*MEMBERS[:2], ("vector-retriever", {})], **given)
    assert [member.learners[0].rules.portion for member in memory.members] == portions
    assert [member.learners[0].rules.portion for member in memory.clone().members] == portions


@pytest.mark.parametrize(
    ("name", "way"),
    [("summary", "messages"), ("entity", "request"), ("knowledge-graph", "chat"), ("combined", "messages")],
)
@given(replies=st.lists(st.integers(1, 60), min_size=12, max_size=12))
def test_a_request_without_room_for_what_waits_learns_it_first(name: str, way: str, replies: list[int]) -> None:
    """What `max_tokens` leaves out was learnt from before: each message that waits is in the request."""

    def learn(_: Sequence[Message]) -> str:
        return "Sam | likes | tea" if name == "knowledge-graph" else "Sam: likes tea."

    options: dict[str, Any] = {"llm": learn}
    if name == "combined":
        options = {"memories": [(one, options) for one in ("summary", "entity")]}
    options["token_counter"] = count_words
    memory = create_memory(name, **options)
    answers = list[str]()

    def check(request: Sequence[Message]) -> str:
        sent = "\n".join(str(message["content"]) for message in request)
        held = [str(entry.message["content"]) for entry in memory.entries() if entry.seq in waiting(memory)]
        assert [one for one in held if one not in sent] == []
        return answers.pop()

    chat = Conversation(check, memory, max_tokens=400)
    for number, words in enumerate(replies):
        answers.append("Noted." + " so it is" * words)
        if way == "chat":
            chat.send(f"Sam says {number}")
        else:
            memory.messages()  # a look without a limit changes nothing
            answer = check(getattr(memory, way)(f"Sam says {number}", max_tokens=400))
            memory.save_context({"input": f"Sam says {number}"}, {"output": answer})


@pytest.mark.parametrize("name", PORTIONS)
def test_a_small_request_costs_a_call_once(name: str) -> None:
    """It learns what it has no room for; later saves wait for whole portions again. `catch_up=False` learns nothing."""
    model = asked()
    memory = create_memory(name, llm=model, learn_every=8, token_counter=lambda _: 20)
    say(memory, *range(3))
    memory.messages("Who is Sam?", max_tokens=60, catch_up=False)
    assert model.calls == 0
    memory.request("Who is Sam?", max_tokens=60)
    assert (model.calls, waiting(memory)) == (1, [])
    say(memory, *range(3, 10))
    assert (model.calls, len(waiting(memory))) == (1, 14)


@pytest.mark.parametrize("name", PORTIONS)
def test_one_call_serves_a_portion(name: str) -> None:
    """Eight exchanges cost a call, the ninth waits, and the state is that of one who learns at each save."""
    model = asked()
    memory = create_memory(name, llm=model, learn_every=8)
    say(memory, *range(9))
    assert (model.calls, waiting(memory)) == (1, [17, 18])
    memory.settle()
    eager = create_memory(name, llm=clerk, learn_every=1)
    say(eager, *range(9))
    question = {"input": "What does Sam like?"}
    assert (model.calls, waiting(memory)) == (2, [])
    assert memory.load_memory_variables(question) == eager.load_memory_variables(question)


@pytest.mark.parametrize("name", ["entity", "knowledge-graph"])
@pytest.mark.parametrize(("every", "before"), [(1, ["tea0", "tea1"]), (2, ["tea1"])])
def test_a_portion_is_shown_with_one_exchange_before_it(name: str, every: int, before: list[str]) -> None:
    """A single exchange is shown with `k` earlier ones, since its pronouns refer to nothing in the same prompt."""
    prompts = list[str]()

    def answer(messages: Sequence[Message]) -> str:
        prompts.append(str(messages[-1]["content"]))
        return "NOTHING NEW"

    options: dict[str, Any] = {"k": 2, "learn_every": every}
    memory = create_memory(name, llm=answer, **options)
    say(memory, *range(2 + every))
    history = prompts[-1].partition("<history>")[2].partition("</history>")[0]
    assert [word for word in ("tea0", "tea1", "tea2") if word in history] == before


@pytest.mark.parametrize("name", ["entity", "knowledge-graph"])
def test_a_long_exchange_before_a_portion_is_cut_in_the_middle(name: str) -> None:
    """It only tells whom the portion means, so a long answer is not sent twice whole."""
    prompts = list[str]()

    def answer(messages: Sequence[Message]) -> str:
        prompts.append(str(messages[-1]["content"]))
        return "NOTHING NEW"

    memory = create_memory(name, llm=answer, learn_every=2)
    said = [("Is tea0 hot?", f"Sam. {'Very hot. ' * 300}Ann."), ("A", "B"), ("C", "D"), ("E", "F")]
    for user, assistant in [("Hello", "Hi"), *said]:
        memory.save_context({"input": user}, {"output": assistant})
    histories = [one.partition("<history>")[2].partition("</history>")[0] for one in prompts]
    (cut,) = [one for one in histories if "tea0" in one]
    assert all(name in cut for name in ("Sam.", "Ann."))
    assert len(cut) < 1200


@pytest.mark.parametrize("name", [*PORTIONS, "combined"])
@pytest.mark.parametrize("look", ["load", "save"])
def test_a_portion_ends_early_after_a_pause(name: str, look: str) -> None:
    """The next load or save learns from what waits; without a pause, nothing is learnt."""
    now = [1_000_000.0]
    store = InMemoryStore(clock=lambda: datetime.fromtimestamp(now[0], UTC))
    memory = create_memory(
        name, store=store, clock=lambda: now[0], learn_every=8, learn_after_pause=600, **LEARNERS[name]
    )
    for number in range(3):
        say(memory, number)
        now[0] += 599
        memory.load_memory_variables({"input": "Who is Sam?"})
    assert len(waiting(memory)) == 6
    now[0] += 1
    if look == "load":
        memory.load_memory_variables({"input": "Who is Sam?"})
    else:
        say(memory, 3)
    assert waiting(memory) == []


@pytest.mark.parametrize("name", PORTIONS)
def test_a_portion_ends_early_at_half_of_its_room(name: str) -> None:
    """What waits is learnt once it has half of `max_pending_tokens`, less what pinned messages take."""
    model = asked()
    memory = create_memory(name, llm=model, learn_every=8, max_pending_tokens=100, token_counter=lambda _: 20)
    say(memory, 1)
    assert model.calls == 0
    say(memory, 2)
    assert (model.calls, waiting(memory)) == (1, [])
    memory.pin(1)
    say(memory, 3)
    assert (model.calls, waiting(memory)) == (2, [])


@pytest.mark.parametrize("name", PORTIONS)
@pytest.mark.parametrize(
    ("model", "url", "calls"),
    [("gpt-4o-mini", "", 1), ("my-own", "", 2), ("gpt-oss:20b", "http://localhost:11434/v1", 2)],
)
def test_eight_long_exchanges_are_one_portion_of_a_model_with_a_large_context(
    name: str, model: str, url: str, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For an unknown model, or one on this machine, the portion ends early, since the context may be small."""
    llm = asked()
    llm.name = model
    monkeypatch.setattr(llm, "base_url", url, raising=False)
    memory = create_memory(name, llm=llm, learn_every=8, token_counter="approximate")
    say(memory, *range(1, 9), words=150)
    memory.settle()
    assert llm.calls == calls


@pytest.mark.parametrize("name", ["summary-buffer", "summarizing-window"])
def test_a_limit_is_kept_whatever_the_portion(name: str) -> None:
    """A memory that learns when a limit is passed makes the same calls with any `learn_every`."""
    calls = list[int]()
    for every in (1, 8):
        model = asked()
        options: dict[str, Any] = LEARNERS[name] | {"llm": model, "learn_every": every}
        say(create_memory(name, **options), *range(20), words=20)
        calls.append(model.calls)
    assert calls[0] == calls[1] > 0


def test_a_strategy_of_somebody_else_learns_in_portions() -> None:
    """The base class does it: what waits is shown, though the strategy shows no messages by itself."""
    memory = Counting(learn_every=3)
    say(memory, 1, 2)
    assert shown(memory) == {1, 2, 3, 4}
    say(memory, 3, 4)
    assert (memory.messages("?")[0]["content"], shown(memory)) == ("[6]", {7, 8})


@pytest.mark.parametrize("name", PORTIONS)
def test_a_forgotten_message_of_a_portion_is_never_learnt(name: str) -> None:
    """What is forgotten or edited while it waits is in no state; all the rest is, once."""
    memory = create_memory(name, llm=clerk, learn_every=4)
    say(memory, 1, 2, 3, 4, 5, 6)
    memory.forget([9, 10])
    memory.rewind(10)
    say(memory, 7)
    memory.settle()
    text = str(drive(memory.learners[0].refresh()).items)
    assert [text.count(f"tea{number}") > 0 for number in range(1, 8)] == [True] * 4 + [False, False, True]


@pytest.mark.parametrize("name", PORTIONS)
def test_a_process_that_ends_between_portions_loses_and_doubles_nothing(name: str) -> None:
    """Whoever opens the conversation next shows what waits, and learns it with the rest of the portion, once."""
    store, model = InMemoryStore(), asked()
    memory = create_memory(name, llm=model, learn_every=4, store=store, conversation_id="a")
    for number in range(10):  # each exchange in a process of its own
        memory = memory.clone()
        assert {*waiting(memory)} <= shown(memory)
        say(memory, number)
    assert (model.calls, waiting(memory)) == (2, [17, 18, 19, 20])


def test_a_portion_that_fails_is_shown_and_learnt_later() -> None:
    """A model that is down costs a call at each try, and loses nothing."""
    model = asked()
    memory = create_memory("summary", llm=model, learn_every=2, on_model_error="defer")
    model.fault = ModelError("the model is down")
    say(memory, 1, 2)
    assert shown(memory) == {1, 2, 3, 4}
    model.fault = None
    say(memory, 3)
    assert waiting(memory) == []


@pytest.mark.parametrize("learn", ["now", "background", "later"])
def test_the_end_of_a_conversation_learns_the_rest(learn: Any) -> None:
    """In `with` and `async with`, unless learning is left for later; a store that is closed already is no error."""

    async def talk(conversation: Conversation) -> None:
        async with conversation:
            await conversation.asend("Sam likes tea2")

    for close in (False, True):
        conversation = Conversation("offline", "summary", learn_every=8, learn=learn)
        if close:
            with conversation:
                conversation.send("Sam likes tea1")
        else:
            asyncio.run(talk(conversation))
        assert bool(waiting(conversation.memory)) == (learn == "later")
    conversation.send("Sam likes tea3")
    conversation.memory.store.close()
    conversation.close()


def test_the_end_in_a_running_loop_hides_no_error_of_the_application() -> None:
    """A model that can only be awaited learns the rest later."""

    async def slow(_messages: object) -> str:
        await asyncio.sleep(0)
        return "Sam likes tea."

    conversation = Conversation(slow, "summary", learn_every=4)

    async def talk() -> None:
        with conversation:
            await conversation.asend("Sam likes tea1")
            raise ValueError("the application's own")

    with pytest.raises(ValueError, match="own"):
        asyncio.run(talk())
    assert waiting(conversation.memory) == [1, 2]


def test_a_provider_hands_the_option_on() -> None:
    """Each of its memories learns in portions; the background waits for a whole one, too."""
    model = asked()
    memory = MemoryProvider("entity", llm=model, learn_every=2, learn="background").get("anna")
    say(memory, 1)
    memory.messages("Sam?")
    drive(memory.learners[0].wait())
    assert model.calls == 0
    say(memory, 2)
    drive(memory.learners[0].wait())
    assert (model.calls, waiting(memory)) == (1, [])


def test_a_token_counter_counts_each_message_once() -> None:
    """Looking whether a portion is full counts no message again."""
    counted = list[str]()

    def count(message: Message) -> int:
        counted.append(str(message["content"]))
        return 1

    memory = create_memory("summary", llm=clerk, learn_every=8, token_counter=count)
    say(memory, 1, 2, 3)
    memory.messages("Sam?")
    assert len(counted) == len({*counted})
