"""Answering again, and having said something else: what was taken back is shown and learnt no more."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memzoo.errors import (
    MessageError,
    ModelError,
    OptionError,
    OverBudgetError,
    StoreError,
    TurnError,
)
from memzoo.memories import STRATEGIES, BaseMemory, Conversation, ConversationBufferMemory, create_memory
from memzoo.stores import Entries, Entry, InMemoryStore, Message, Record
from memzoo.stores.indexes.index import ExactIndex
from memzoo.sync import drive
from memzoo.testing import ScriptedModel
from tests.memories.chat.ways import texts

PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}

Regenerate = Callable[[Conversation], str]
WAYS: dict[str, Regenerate] = {
    "regenerate": lambda conversation: conversation.regenerate(),
    "aregenerate": lambda conversation: asyncio.run(conversation.aregenerate()),
    "stream": lambda conversation: "".join(conversation.stream(None)),
}


class Seeing:
    """A model that numbers its answers, and keeps what it was shown; it fails when it is told to."""

    def __init__(self) -> None:
        self.sent: list[list[Message]] = []
        self.fails = False

    def __call__(self, messages: list[Message]) -> str:
        """Answer."""
        if self.fails:
            raise ModelError("overloaded")
        self.sent.append(messages)
        return f"Answer {len(self.sent)}"


@pytest.fixture
def model() -> Seeing:
    """A model."""
    return Seeing()


@pytest.fixture
def conversation(model: Seeing) -> Conversation:
    """A conversation of two exchanges."""
    conversation = Conversation(model, ConversationBufferMemory(conversation_id="c"))
    conversation.send("First?")
    conversation.send("Second?")
    return conversation


def summarize(_: list[Message]) -> str:
    """Answer a prompt for a summary."""
    return "A summary."


def embed_alike(texts: Sequence[str]) -> list[list[float]]:
    """Embed all texts alike."""
    return [[1.0] for _ in texts]


def count_one(_: Message) -> int:
    """Count each message as one token."""
    return 1


def said(conversation: Conversation) -> list[str]:
    """All that is in the log."""
    return [str(text) for _, text in texts(conversation.memory.history())]


@pytest.mark.parametrize("way", WAYS)
def test_the_last_question_is_answered_again(conversation: Conversation, model: Seeing, way: str) -> None:
    """The model is sent the same as before, once, and its new answer takes the place of the old one."""
    assert WAYS[way](conversation) == "Answer 3"
    assert model.sent[2] == model.sent[1]
    assert said(conversation) == ["First?", "Answer 1", "Second?", "Answer 3"]
    assert WAYS[way](conversation) == "Answer 4"
    assert model.sent[3] == model.sent[1]


@pytest.mark.parametrize("name", STRATEGIES)
def test_each_strategy_answers_again(name: str) -> None:
    """The question is sent once, and neither the model nor the memory has anything of the old answer."""
    model, answers = Seeing(), iter(["Noted.", "Anna likes Quokkas.", "Anna likes Wombats."])

    def answer(messages: list[Message]) -> str:
        model(messages)
        return next(answers)

    conversation = Conversation(answer, create_memory(name, llm="offline", learn_every=1))
    conversation.send("Hello there")
    conversation.send("What does Anna like?")
    conversation.regenerate()
    assert "Quokkas" not in str(model.sent[2])
    assert str(model.sent[2]).count("What does Anna like?") == str(model.sent[1]).count("What does Anna like?")
    memory = conversation.memory
    state = [asyncio.run(learner.refresh()) for learner in memory.learners]
    shown = f"{memory.load_memory_variables({'input': 'Anna?'})} {memory.messages('Anna?')} {state} {memory.history()}"
    assert "Wombats" in shown
    assert "Quokkas" not in shown


@pytest.mark.parametrize("pins", [False, True])
@pytest.mark.parametrize(
    "window",
    [
        ("message-window", {"max_messages": 4}),
        ("token-window", {"max_token_limit": 4, "token_counter": count_one}),
        ("combined", {"memories": [("message-window", {"max_messages": 4})]}),
    ],
)
def test_a_question_that_is_answered_again_takes_no_place_in_a_window(
    model: Seeing, window: tuple[str, dict[str, Any]], *, pins: bool
) -> None:
    """The limit is for earlier messages, so the model is sent the same as at first."""
    conversation = Conversation(model, window[0], **window[1])
    conversation.send("First?")
    conversation.send("Second?")
    if pins:
        conversation.memory.pin([1, 2])
    conversation.send("Third?")
    if pins:
        conversation.memory.pin(5)
    for _ in range(2):
        conversation.regenerate()
        assert model.sent[-1] == model.sent[2]


def test_what_tools_did_for_an_old_answer_stays_on_record() -> None:
    """The question is answered anew from the beginning, so tools may run again; the log has both runs."""
    memory = ConversationBufferMemory()
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    memory.add_messages(
        [
            {"role": "user", "content": "Look!"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "A cat."},
            {"role": "assistant", "content": "I see a cat."},
        ]
    )
    conversation = Conversation(model := Seeing(), memory)
    for number in (1, 2):
        conversation.regenerate()
        assert [text for _, text in texts(model.sent[-1])] == ["Look!"]
        assert said(conversation) == ["Look!", "None", "A cat.", f"Answer {number}"]


def test_results_that_were_the_answer_are_not_sent(conversation: Conversation, model: Seeing) -> None:
    """After an immediate tool the question is sent by itself, as at first; its call and its result stay on record."""
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    looked: list[Message] = [
        {"role": "user", "content": "Look!"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "A cat."},
    ]
    conversation.memory.add_messages(looked)
    model.fails = True
    with pytest.raises(ModelError):
        conversation.regenerate()
    model.fails = False
    before = ["First?", "Answer 1", "Second?", "Answer 2", "Look!"]
    for number in (3, 4):
        conversation.regenerate()
        assert [text for _, text in texts(model.sent[-1])] == before
        assert said(conversation) == [*before, "None", "A cat.", f"Answer {number}"]


DELETIONS: dict[str, Callable[[BaseMemory], object]] = {
    "forget the question": lambda memory: memory.forget([3]),
    "forget all": lambda memory: memory.forget(None),
    "clear": lambda memory: memory.clear(),
    "rewind": lambda memory: memory.rewind(0),
}


@pytest.mark.parametrize("way", DELETIONS)
def test_a_new_answer_to_a_deleted_question_is_not_stored(conversation: Conversation, way: str) -> None:
    """What was deleted while the model was asked stays deleted, and no answer stands without its question."""
    pieces = conversation.stream(None)
    assert next(pieces) == "Answer 3"
    DELETIONS[way](conversation.memory.clone())
    assert list(pieces) == []
    left = ["First?", "Answer 1", "Answer 2"] if way == "forget the question" else []
    assert said(conversation) == left


@pytest.mark.parametrize("way", DELETIONS)
def test_results_of_a_deleted_turn_are_not_stored(conversation: Conversation, way: str) -> None:
    """A call that was stored before its tool ran may be deleted while it runs."""
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    memory = conversation.memory
    memory.forget([3, 4])
    with memory.turn("Look!") as turn:
        turn.add({"role": "assistant", "content": None, "tool_calls": [call]})
        turn.keep()
        memory.forget([5]) if way == "forget the question" else DELETIONS[way](memory)
        turn.add({"role": "tool", "tool_call_id": "1", "content": "A cat."})
        turn.keep()
        turn.add("I see a cat.")
    left = ["First?", "Answer 1", "None"] if way == "forget the question" else []
    assert said(conversation) == left


def test_a_failure_leaves_the_answer(conversation: Conversation, model: Seeing) -> None:
    """When the model fails, the question keeps its old answer, and can be answered again."""
    model.fails = True
    with pytest.raises(ModelError):
        conversation.regenerate()
    assert said(conversation) == ["First?", "Answer 1", "Second?", "Answer 2"]
    model.fails = False
    conversation.regenerate()
    assert said(conversation) == ["First?", "Answer 1", "Second?", "Answer 3"]
    assert conversation.memory.unfinished_turn() == []


def test_nothing_asked_cannot_be_answered_again() -> None:
    """The error says so, and the next turn can begin."""
    conversation = Conversation(Seeing())
    with pytest.raises(TurnError, match="no question to answer again"):
        conversation.regenerate()
    assert conversation.send("Now?") == "Answer 1"


@pytest.mark.parametrize("way", ["edit", "aedit", "stream"])
def test_an_edit_goes_on_from_there(conversation: Conversation, model: Seeing, way: str) -> None:
    """The message and all that followed it are gone, and the new one is answered with what stood before it."""
    ways = {
        "edit": lambda: conversation.edit(3, "Third?"),
        "aedit": lambda: asyncio.run(conversation.aedit(3, "Third?")),
        "stream": lambda: "".join(conversation.stream("Third?", after=2)),
    }
    assert ways[way]() == "Answer 3"
    assert [text for _, text in texts(model.sent[2])] == ["First?", "Answer 1", "Third?"]
    assert said(conversation) == ["First?", "Answer 1", "Third?", "Answer 3"]
    conversation.edit(1, "Anew?")
    assert texts(model.sent[3]) == [("user", "Anew?")]
    assert said(conversation) == ["Anew?", "Answer 4"]


def test_an_edit_keeps_the_pictures(model: Seeing) -> None:
    """What is no text stays with the message, unless a whole message is given."""
    conversation = Conversation(model)
    conversation.send({"role": "user", "name": "Zoe", "content": [{"type": "text", "text": "What is it?"}, PICTURE]})
    conversation.edit(1, "And this?")
    (edited, _) = conversation.memory.history()
    assert edited == {"role": "user", "name": "Zoe", "content": [{"type": "text", "text": "And this?"}, PICTURE]}
    number = conversation.memory.entries()[0].seq
    conversation.edit(number, {"role": "user", "content": "Nothing."})
    assert said(conversation)[0] == "Nothing."


@pytest.mark.parametrize(("number", "error"), [(2, MessageError), (9, MessageError), (0, OptionError)])
def test_only_a_message_of_the_user_is_edited(conversation: Conversation, number: int, error: type[Exception]) -> None:
    """Another number is refused, and nothing is changed."""
    before = said(conversation)
    with pytest.raises(error):
        conversation.edit(number, "x")
    with pytest.raises(MessageError, match="a turn must begin with a user message"):
        conversation.edit(1, {"role": "assistant", "content": "x"})
    assert said(conversation) == before


def test_a_retry_after_going_back_is_stored() -> None:
    """What was taken back may be said again, under the same turn id too; what was forgotten may not."""
    memory: BaseMemory = ConversationBufferMemory(store=InMemoryStore())
    for text in ("a", "b"):
        memory.save_context({"input": text}, {"output": "ok"}, turn_id=text)
    assert [entry.seq for entry in memory.rewind(2)] == [3, 4]
    memory.save_context({"input": "b"}, {"output": "ok"}, turn_id="b")
    assert [entry.seq for entry in memory.entries()] == [1, 2, 5, 6]
    memory.forget([5, 6])
    memory.save_context({"input": "b"}, {"output": "ok"}, turn_id="b")
    assert [entry.seq for entry in memory.entries()] == [1, 2]
    assert memory.rewind(2) == []


def five_tokens(_: Message) -> int:
    """Each message is as long as the other."""
    return 5


def test_nothing_is_learnt_anew_that_stays() -> None:
    """A summary that had not reached the old answer yet is as it was, and costs no call."""
    model = ScriptedModel("A summary.", "One.", "Two.")
    memory = create_memory("summary-buffer", llm=model, max_token_limit=12, token_counter=five_tokens)
    memory.save_context({"input": "a"}, {"output": "b"})
    memory.save_context({"input": "c"}, {"output": "d"})
    asked = len(model.asked)
    assert asked == 1
    memory.rewind(3)
    assert "A summary." in str(memory.messages())
    assert len(model.asked) == asked


@pytest.mark.parametrize(("on_failure", "added"), [("keep", ["Third?"]), ("rollback", [])])
def test_an_edit_that_fails_replaces_nothing(model: Seeing, on_failure: Any, added: list[str]) -> None:
    """All that was said stays; with "keep" the new message stands behind it, and a second try replaces both."""
    conversation = Conversation(model, "buffer", on_failure=on_failure)
    for question in ("First?", "Second?"):
        conversation.send(question)
    before, model.fails = said(conversation), True
    with pytest.raises(ModelError):
        conversation.edit(1, "Third?")
    assert said(conversation) == before + added
    model.fails = False
    conversation.edit(1, "Third?")
    assert said(conversation) == ["Third?", "Answer 3"]


def test_an_edit_that_is_too_long_replaces_nothing(model: Seeing) -> None:
    """A message for which there is no room is refused, and what was said stays."""
    conversation = Conversation(model, "buffer", max_tokens=50, token_counter="approximate")
    conversation.send("First?")
    with pytest.raises(OverBudgetError):
        conversation.edit(1, "word " * 1000)
    assert said(conversation) == ["First?", "Answer 1"]


class FullStore(InMemoryStore):
    """A store that can come to have no room."""

    full = False
    forgetting: Callable[[], object] | None = None

    async def forget(self, *given: Any, **options: Any) -> list[int]:
        """See `Store.forget`."""
        if self.forgetting:
            self.forgetting()
        return await super().forget(*given, **options)

    async def append(self, conversation_id: str, records: Sequence[Record], *, turn_id: str) -> list[Entry]:
        """See `Store.append`."""
        if self.full:
            raise StoreError("the disk is full")
        return await super().append(conversation_id, records, turn_id=turn_id)


def test_an_edit_that_cannot_be_stored_replaces_nothing(model: Seeing) -> None:
    """What was said is taken back only when the new turn is stored."""
    store = FullStore()
    conversation = Conversation(model, "buffer", store=store)
    conversation.send("First?")
    store.full = True
    with pytest.raises(StoreError, match="full"):
        conversation.edit(1, "Second?")
    assert said(conversation) == ["First?", "Answer 1"]


@pytest.mark.parametrize("name", STRATEGIES)
def test_an_edit_shows_what_was_known_then(name: str) -> None:
    """The model sees what it would have seen, nothing changes before the turn is stored, nothing is asked twice."""
    asked: list[str] = []

    def reply(messages: list[Message]) -> str:
        asked.append(str(messages))
        return "Anna: likes tea" if name == "entity" else "Anna | likes | tea"

    memory, fresh = (
        create_memory(name, token_counter="approximate", clock=lambda: 0.0, llm=reply, learn_every=1) for _ in range(2)
    )
    for one, count in ((memory, 6), (fresh, 3)):
        for number in range(count):
            one.save_context({"input": f"Anna likes tea {number}"}, {"output": "I see"})
    before = memory.history(), memory.load_memory_variables({"input": "Anna?"})
    with fresh.turn("What does Anna like?") as turn:
        expected = turn.messages()
        turn.roll_back()
    asked.clear()
    spent = memory.usage.total.calls
    with memory.turn("What does Anna like?", after=6) as turn:
        shown = turn.messages()
        assert (memory.history(), memory.load_memory_variables({"input": "Anna?"})) == before
        turn.add("Tea.")
    assert [one["content"] for one in shown] == [one["content"] for one in expected]
    assert len(memory.history()) == 8
    assert "tea 3" not in f"{memory.history()} {memory.load_memory_variables({'input': 'Anna?'})}"
    assert len(set(asked)) == len(asked) == memory.usage.total.calls - spent


def test_what_another_says_meanwhile_stays(conversation: Conversation) -> None:
    """Only what was there when the turn began is taken back."""
    memory = conversation.memory
    with memory.turn("Third?", after=2) as turn:
        other = create_memory("buffer", store=memory.store, conversation_id=memory.conversation_id)
        other.save_context({"input": "And?"}, {"output": "Yes"})
        turn.add("Answer.")
    assert said(conversation) == ["First?", "Answer 1", "And?", "Yes", "Third?", "Answer."]


def test_a_turn_replaces_itself() -> None:
    """A host that gives a turn's id again for its new words has the new ones stored."""
    memory = ConversationBufferMemory()
    memory.save_context({"input": "a"}, {"output": "b"}, turn_id="t")
    with memory.turn("c", after=0, turn_id="t") as turn:
        turn.add("d")
    assert [message["content"] for message in memory.history()] == ["c", "d"]


def test_each_failed_attempt_is_kept_once() -> None:
    """Attempts under one id stand in the log, one after another; one that was forgotten does not come back."""
    memory = ConversationBufferMemory()

    def fail(answer: str) -> None:
        with memory.turn("Go", turn_id="t") as turn:
            turn.add(answer)
            raise ValueError("mishap")

    for answer in ("one", "two", "two"):
        with pytest.raises(ValueError, match="mishap"):
            fail(answer)
    assert [message["content"] for message in memory.history()] == ["Go", "one", "Go", "two"]
    memory.forget([1, 2])
    with pytest.raises(ValueError, match="mishap"):
        fail("one")
    assert [message["content"] for message in memory.history()] == ["Go", "two"]


@pytest.mark.parametrize(("after", "asked", "answers"), [(None, None, "cd"), (1, "What?", "d"), (0, "What?", "cd")])
def test_a_turn_under_the_id_of_what_it_replaces_is_stored(after: int | None, asked: str | None, answers: str) -> None:
    """Also if part of the turn with that id stays; the turn tells under which id it is stored."""
    memory = ConversationBufferMemory()
    memory.save_context({"input": "a"}, {"output": "b"}, turn_id="t")
    for answer in answers:
        with memory.turn(asked, after=after, turn_id="t") as turn:
            turn.add(answer)
        assert memory.entries()[-1].turn_id == turn.id
    kept = ["a"] * (after != 0)
    assert [message["content"] for message in memory.history()] == [*kept, *([asked] if asked else []), "d"]


@pytest.mark.parametrize("is_forgotten", [True, False])
def test_a_turn_that_is_not_stored_replaces_nothing(is_forgotten: bool) -> None:  # noqa: FBT001 - a case
    """Under the id of an earlier turn, or of a forgotten one, nothing is stored, and so nothing is taken back."""
    memory = ConversationBufferMemory()
    for text in ("a", "b", "c"):
        memory.save_context({"input": text}, {"output": "ok"}, turn_id=text)
    if is_forgotten:
        memory.forget([1, 2])
    before = memory.history()
    with memory.turn("d", after=4, turn_id="a") as turn:
        turn.add("ok")
    assert memory.history() == before


def test_a_turn_that_replaces_itself_and_fails_replaces_nothing() -> None:
    """What it replaces goes only when the new words are stored, under the same id too."""
    store = FullStore()
    memory = ConversationBufferMemory(store=store)
    memory.save_context({"input": "a"}, {"output": "b"}, turn_id="t")
    store.full = True

    def replace() -> None:
        with memory.turn("c", after=0, turn_id="t") as turn:
            turn.add("d")

    with pytest.raises(StoreError, match="full"):
        replace()
    assert [message["content"] for message in memory.history()] == ["a", "b"]


def test_a_question_that_replaces_itself_stays() -> None:
    """A question without an answer that is said again under its id is there afterwards, once."""
    memory = ConversationBufferMemory()
    for _ in range(3):
        with memory.turn("Go", after=0, turn_id="t"):
            pass
        assert [message["content"] for message in memory.history()] == ["Go"]


def test_what_is_said_after_a_clear_stays() -> None:
    """A conversation that was cleared meanwhile and begun again with the same numbers loses nothing."""
    memory = ConversationBufferMemory()
    for text in ("a", "b"):
        memory.save_context({"input": text}, {"output": "ok"})
    with memory.turn("c", after=2) as turn:
        memory.clear()
        for text in ("d", "e"):
            memory.save_context({"input": text}, {"output": "ok"})
        turn.add("ok")
    assert [message["content"] for message in memory.history()] == ["d", "ok", "e", "ok", "c", "ok"]


def test_what_was_learnt_before_a_clear_is_not_kept() -> None:
    """A summary of the conversation as it was does not become that of another one with the same numbers."""
    model = ScriptedModel(*(f"Summary {number}." for number in range(20)))
    memory = create_memory("summary", llm=model, learn_every=1)
    for text in ("a", "b"):
        memory.save_context({"input": text}, {"output": "ok"})
    with memory.turn("c", after=2) as turn:
        (old, *_) = turn.messages()
        memory.clear()
        other = create_memory("buffer", store=memory.store, conversation_id=memory.conversation_id)
        other.save_context({"input": "d"}, {"output": "ok"})
        turn.add("ok")
    assert str(old["content"]) not in f"{memory.messages()} {model.asked[-1]}"


def test_an_edit_leaves_a_shared_index_alone() -> None:
    """The index that a member was given has all that the store has, while the memory is shown as it was."""
    index = ExactIndex()
    options: dict[str, Any] = {"embedder": embed_alike, "index": index, "token_counter": "approximate"}
    memory = create_memory("combined", memories=["window", ("vector-retriever", options)])
    for text in ("a", "b"):
        memory.save_context({"input": text}, {"output": "ok"})
    memory.messages("a")
    known = drive(index.known(memory.conversation_id, memory.learners[0].name))
    assert len(known) == 4
    with memory.turn("c", after=2) as turn:
        turn.messages()
        assert drive(index.known(memory.conversation_id, memory.learners[0].name)) == known
        turn.add("ok")


def test_without_history_the_question_stays_to_be_answered_again(model: Seeing) -> None:
    """With `keep_history=False` a question is kept with its new answer, however often that is given anew."""
    memory = create_memory("summary", llm=summarize, keep_history=False, learn_every=1)
    conversation = Conversation(model, memory)
    conversation.send("First?")
    for number in (2, 3):
        conversation.regenerate()
        assert said(conversation) == ["First?", f"Answer {number}"]


@pytest.mark.parametrize("name", ["regenerate", "edit"])
def test_without_history_what_was_learnt_is_not_lost(model: Seeing, name: str) -> None:
    """What would forget a summary of messages that are gone is refused before the model is asked."""
    memory = create_memory("summary", llm=summarize, keep_history=False, learn_every=1)
    conversation = Conversation(model, memory)
    for question in ("First?", "Second?"):
        conversation.send(question)
    before = memory.messages()
    with pytest.raises(TurnError, match="keep_history=False has deleted"):
        conversation.regenerate() if name == "regenerate" else conversation.edit(3, "Third?")
    assert memory.messages() == before
    assert len(model.sent) == 2
    conversation.send("Third?")


def test_an_edit_that_is_cancelled_while_it_is_stored_replaces_all_the_same() -> None:
    """The new words and the old do not stand side by side."""
    store = FullStore()
    memory = ConversationBufferMemory(store=store)
    memory.save_context({"input": "a"}, {"output": "b"})

    async def edit() -> None:
        async with memory.turn("c", after=0) as turn:
            turn.add("d")

    async def cancelled() -> None:
        editing = asyncio.create_task(edit())

        def cancel() -> None:
            store.forgetting = None
            editing.cancel()
            raise asyncio.CancelledError

        store.forgetting = cancel
        with pytest.raises(asyncio.CancelledError):
            await editing

    asyncio.run(cancelled())
    assert [message["content"] for message in memory.history()] == ["c", "d"]


def test_an_edit_that_cannot_take_back_says_so(model: Seeing) -> None:
    """The error tells that both stand in the log; editing again replaces both."""
    store = FullStore()
    conversation = Conversation(model, "buffer", store=store)
    conversation.send("First?")

    def fail() -> None:
        raise StoreError("the disk is full")

    store.forgetting = fail
    with pytest.raises(StoreError, match="full") as caught:
        conversation.edit(1, "Second?")
    assert "The turn is stored" in caught.value.__notes__[0]
    assert said(conversation) == ["First?", "Answer 1", "Second?", "Answer 2"]
    store.forgetting = None
    conversation.edit(1, "Second?")
    assert said(conversation) == ["Second?", "Answer 3"]


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLED: Message = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT: Message = {"role": "tool", "tool_call_id": "c1", "content": "done"}


def test_a_turn_whose_question_is_needed_no_more_is_stored_to_its_end() -> None:
    """With `keep_history=False`, turns that are saved meanwhile delete the question, but not the answer."""
    store = InMemoryStore()
    options: dict[str, Any] = {"store": store, "conversation_id": "a", "keep_history": False, "k": 2}
    with create_memory("window", **options).turn("Do it.") as turn:
        turn.add(CALLED)
        turn.keep()
        other = create_memory("window", **options)
        for number in range(4):
            other.save_context({"input": f"note {number}"}, {"output": "ok"})
        turn.add(RESULT)
        turn.keep()
        turn.add("It is done.")
    assert [entry.message["content"] for entry in drive(store.read("a"))][-2:] == ["done", "It is done."]


def test_an_error_of_the_caller_is_not_hidden_by_a_store_that_fails() -> None:
    """A failed turn with nothing to be stored asks the store for nothing."""
    store = FailingStore()
    with pytest.raises(ZeroDivisionError):
        break_off(create_memory("buffer", store=store), store)


def test_a_result_that_comes_after_its_call_was_given_up_is_stored() -> None:
    """A turn that goes on has an error for the open call, and then the result: both stay, in their order."""
    memory = create_memory("buffer")
    with pytest.raises(ZeroDivisionError):
        break_off(memory, FailingStore())
    with create_memory("buffer", store=memory.store, conversation_id=memory.conversation_id).turn(None) as again:
        again.messages()
        again.add(RESULT)
        again.keep()
        again.add("It is done.")
    assert [message["content"] for message in memory.history()][3:] == ["done", "It is done."]


def break_off(memory: BaseMemory, store: "FailingStore") -> None:
    """Keep a call of a tool, let a store fail, and end the turn with an error of the caller's own."""
    with memory.turn("Do it.") as turn:
        turn.add(CALLED)
        turn.keep()
        store.fails = True
        raise ZeroDivisionError


class FailingStore(InMemoryStore):
    """A store that cannot be read once `fails` is true."""

    fails = False

    async def read(self, conversation_id: str, **bounds: Any) -> Entries:
        """Read, or fail."""
        if self.fails:
            raise StoreError("the store is down")
        return await super().read(conversation_id, **bounds)
