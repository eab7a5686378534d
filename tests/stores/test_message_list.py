"""The store over lists of messages."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from memzoo.errors import OptionError, StoreError, UnsupportedError
from memzoo.memories import BaseMemory, Conversation, HashEmbedder, create_memory
from memzoo.stores import InMemoryStore, Message, MessageListStore, Record, Store
from memzoo.stores.base import managed
from memzoo.sync import drive
from memzoo.testing import StoreContract


class Lists:
    """Lists of messages that refuse to be written when they are told to."""

    def __init__(self) -> None:
        self.kept: dict[str, list[Message]] = {}
        self.full = False

    def get_messages(self, id_: str) -> list[Message]:
        """As in LangChain4j."""
        return self.kept.get(id_, [])

    def update_messages(self, id_: str, messages: list[Message]) -> None:
        """As in LangChain4j."""
        if self.full:
            raise OSError("no space left")
        self.kept[id_] = messages

    def delete_messages(self, id_: str) -> None:
        """As in LangChain4j."""
        self.kept.pop(id_, None)


def over(lists: Lists) -> MessageListStore:
    """A store over them."""
    return MessageListStore(get=lists.get_messages, update=lists.update_messages, delete=lists.delete_messages)


class TestMessageListStore(StoreContract):
    """Within one process it keeps the contract of a plain store."""

    @pytest.fixture
    def store(self) -> Store:
        """A new one."""
        return over(Lists())


def fish(_: list[Message]) -> str:
    """A model that has one thing to say."""
    return "Nemo is a fish."


def test_a_memory_derives_over_it_again_after_a_restart():
    """A strategy with a state saves, loads and learns; another process derives the state from the messages."""
    lists = Lists()
    for _ in range(2):
        memory = create_memory("summary", llm=fish, store=over(lists), conversation_id="c", learn_every=1)
        if not lists.kept:
            memory.save_context({"input": "I am Nemo"}, {"output": "hi"})
        assert "Nemo is a fish." in memory.load_memory_variables({"input": ""})["history"]
    assert [message["content"] for message in lists.kept["c"]] == ["I am Nemo", "hi"]


def test_messages_of_others_are_seen():
    """What somebody appends is read under the next number; what somebody changes begins everything anew."""
    lists = Lists()
    store = over(lists)
    drive(store.append("c", [Record({"role": "user", "content": "a"})], turn_id="1"))
    epoch = drive(store.read("c")).epoch
    lists.kept["c"] = [*lists.kept["c"], {"role": "assistant", "content": "b"}]
    grown = drive(store.read("c", after=1))
    assert [(entry.seq, entry.message["content"]) for entry in grown] == [(2, "b")]
    assert grown.epoch == epoch
    lists.kept["c"] = lists.kept["c"][1:]
    changed = drive(store.read("c"))
    assert [(entry.seq, entry.message["content"]) for entry in changed] == [(1, "b")]
    assert changed.epoch != epoch


def test_a_turn_that_could_not_be_written_is_not_there():
    """When the list refuses, the turn is nowhere, and can be saved again."""
    lists = Lists()
    store = over(lists)
    lists.full = True
    with pytest.raises(OSError, match="no space"):
        drive(store.append("c", [Record({"role": "user"})], turn_id="1"))
    assert drive(store.read("c")) == []
    lists.full = False
    assert len(drive(store.append("c", [Record({"role": "user"})], turn_id="1"))) == 1
    assert lists.kept == {"c": [{"role": "user"}]}


def test_what_it_lacks_is_named():
    """A method that only managed stores have is refused by its name."""
    with pytest.raises(UnsupportedError, match="'restore', which MessageListStore lacks") as caught:
        managed(over(Lists()), "restore")
    assert isinstance(caught.value, StoreError)


def test_a_memory_names_what_its_store_lacks():
    """Over a list a memory can be cleared; a memory that keeps embeddings is refused, before it stores a message."""
    lists = Lists()
    memory = create_memory("buffer", store=over(lists), conversation_id="c")
    memory.save_context({"input": "a"}, {"output": "b"})
    memory.clear()
    assert lists.kept == {}
    with pytest.raises(UnsupportedError, match="'embeddings', which MessageListStore lacks"):
        create_memory("vector-retriever", store=over(lists), conversation_id="c", embedder=HashEmbedder())


@pytest.mark.parametrize("rules", ["memzoo", "langchain4j"])
def test_what_left_a_window_leaves_the_list(rules: str):
    """With `keep_history=False` the list has what is shown, and whoever opens it goes on with that."""
    lists = Lists()
    options: dict[str, Any] = {"max_messages": 5, "rules": rules, "conversation_id": "c", "keep_history": False}
    memory = create_memory("message-window", store=over(lists), **options)
    for number in range(6):
        memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"}, turn_id=str(number))
        memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"}, turn_id=str(number))
        again = create_memory("message-window", store=over(lists), **options)
        assert again.messages() == memory.messages() == lists.kept["c"]
    assert [message["content"] for message in lists.kept["c"]] == ["a3", "q4", "a4", "q5", "a5"]


def test_langchain4js_persistent_store_keeps_the_name():
    """Ten messages are shown, three exchanges were said: who opens the list again knows them all."""
    lists = Lists()

    def opened() -> Conversation:
        options: dict[str, Any] = {"rules": "langchain4j", "keep_history": False, "max_messages": 10}
        return Conversation("offline", "message-window", store=over(lists), conversation_id="12345", **options)

    chat = opened()
    for text in ("Hello, my name is Klaus.", "What is my name?", "We open at seven."):
        chat.send(text)
    assert len(chat.memory.messages()) == len(lists.kept["12345"]) == 6
    chat = opened()
    assert "Klaus" in chat.send("What is my name?")
    assert "Klaus" in chat.regenerate()
    assert chat.memory.forget([1, 2]).removed == (1, 2)
    assert "Klaus" not in str(chat.memory.messages()[0])
    assert len(create_memory("buffer", store=over(lists), conversation_id="12345").history()) == 6


@pytest.mark.parametrize("keep_history", [True, False])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("buffer", {}),
        ("message-window", {"max_messages": 4}),
        ("message-window", {"max_messages": 4, "rules": "langchain4j"}),
        ("message-window", {"max_messages": 4, "step": 2}),
        ("window", {"k": 2}),
        ("vector-retriever", {}),
        ("summary", {"llm": fish}),
    ],
)
def test_a_list_is_read_once_a_load_and_once_a_save(name: str, options: dict[str, Any], keep_history: bool):  # noqa: FBT001
    """Where the list lies behind a network, that is the cost of it; before it is shortened after a model, once more."""
    lists, reads = Lists(), Counter[str]()

    def get(id_: str) -> list[Message]:
        reads[id_] += 1
        return lists.get_messages(id_)

    store = MessageListStore(get=get, update=lists.update_messages, delete=lists.delete_messages)
    memory = create_memory(name, store=store, conversation_id="c", keep_history=keep_history, **options, learn_every=1)
    for number in range(7):
        reads.clear()
        memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
        saving = reads["c"]
        memory.messages()
        if number:  # the first one looks whether anything was said before
            assert (saving, reads["c"] - saving) == (2 if name == "summary" and not keep_history else 1, 1)


def test_what_others_say_while_a_model_is_asked_stays_in_the_list():
    """A list that is shortened after that is read anew."""
    lists = Lists()

    def fish_slowly(messages: list[Message]) -> str:
        lists.kept["c"] = [*lists.kept["c"], {"role": "user", "content": "Wait!"}]
        return fish(messages)

    options: dict[str, Any] = {"llm": fish_slowly, "keep_history": False, "conversation_id": "c"}
    create_memory("summary", store=over(lists), **options, learn_every=1).save_context({"input": "a"}, {"output": "b"})
    assert lists.kept["c"][-1] == {"role": "user", "content": "Wait!"}


def test_what_was_forgotten_leaves_the_list():
    """A message that is forgotten goes from the list; if the list refuses, nothing is forgotten."""
    lists = Lists()
    memory = create_memory("summary", llm=fish, store=over(lists), conversation_id="c", learn_every=1)
    memory.save_context({"input": "a"}, {"output": "b"})
    lists.full = True
    with pytest.raises(OSError, match="no space"):
        memory.forget([1])
    assert len(memory.history()) == 2
    lists.full = False
    receipt = memory.forget([1])
    assert (receipt.removed, receipt.rederived, receipt.erased) == ((1,), ("summary",), False)
    assert lists.kept["c"] == memory.history() == [{"role": "assistant", "content": "b"}]


def test_a_store_that_cannot_delete_is_refused():
    """Where nothing can be deleted, `keep_history=False` is refused when it is chosen, not when it is too late."""
    whole = InMemoryStore()
    six = ("append", "read", "read_state", "commit", "clear", "close")
    plain: Any = SimpleNamespace(**{name: getattr(whole, name) for name in six})
    with pytest.raises(OptionError, match="keep_history=False needs a store that can delete"):
        create_memory("window", store=plain, keep_history=False)
    memory = create_memory("window", store=plain)
    with pytest.raises(OptionError, match="keep_history=False needs a store that can delete"):
        memory.clone(keep_history=False)


def test_what_was_forgotten_stays_forgotten():
    """While the process lives: one by one or all at once, and also when somebody else has changed the list."""
    lists = Lists()
    memory = create_memory("buffer", store=over(lists), conversation_id="c")
    for turn in "abd":
        memory.save_context({"input": turn}, {"output": "ok"}, turn_id=turn)
    memory.forget([1])
    lists.kept["c"] = lists.kept["c"][2:]
    for turn in "ad":
        memory.save_context({"input": turn}, {"output": "ok"}, turn_id=turn)
    assert [message["content"] for message in memory.history()[-2:]] == ["d", "ok"]
    memory.forget(None)
    assert lists.kept == {}
    memory.save_context({"input": "a"}, {"output": "ok"}, turn_id="a")
    memory.save_context({"input": "e"}, {"output": "ok"}, turn_id="e")
    assert [message["content"] for message in lists.kept["c"]] == ["e", "ok"]


def test_what_was_taken_back_may_be_said_again():
    """A rewound turn is stored if it comes again."""
    memory = create_memory("buffer", store=over(lists := Lists()), conversation_id="c")
    for _ in range(2):
        memory.save_context({"input": "a"}, {"output": "ok"}, turn_id="a")
        memory.rewind(0)
        assert lists.kept["c"] == []


@pytest.mark.parametrize("keep_history", [True, False])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("message-window", {"max_messages": 4, "step": 4}),
        ("window", {"k": 2, "step": 3}),
        ("token-window", {"step": 90}),
    ],
)
def test_a_window_that_moves_in_steps_begins_with_the_same_message_after_a_restart(
    name: str, options: dict[str, Any], *, keep_history: bool
):
    """Also where messages are missing from the list, so that the rest has other numbers then."""
    lists = Lists()
    options = {"max_token_limit": 120} | options if name == "token-window" else options

    def opened() -> BaseMemory:
        return create_memory(
            name, store=over(lists), conversation_id="c", keep_history=keep_history, **options, learn_every=1
        )

    memory, moved, before = opened(), 0, list[Message]()
    memory.add_messages([{"role": "system", "content": "Be brief."}])
    for number in range(30):
        memory.save_context({"input": f"question {number}"}, {"output": f"answer {number}"})
        if number in (7, 8, 15):
            memory.forget([memory.entries(1, after=2)[0].seq])
        shown = memory.messages()
        assert opened().messages() == shown
        moved += number > 0 and shown[1] != before[1]
        before = shown
    assert 0 < moved < 15
