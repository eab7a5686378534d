"""The store over lists of messages."""

import pytest

from memzoo.memories import create_memory
from memzoo.stores import Message, MessageListStore, Record, Store, managed
from memzoo.stores.driving import drive
from memzoo.stores.errors import StoreError, UnsupportedError
from memzoo.stores.testing import PlainStoreContract


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


class TestMessageListStore(PlainStoreContract):
    """Within one process it keeps the whole contract of a plain store."""

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
        memory = create_memory("summary", llm=fish, store=over(lists), conversation_id="c")
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
    with pytest.raises(UnsupportedError, match="'forget', which MessageListStore lacks") as caught:
        managed(over(Lists()), "forget")
    assert isinstance(caught.value, StoreError)


def test_a_memory_names_what_its_store_lacks():
    """Over a plain store a memory can be cleared; forgetting, and embeddings, are refused by name."""
    lists = Lists()
    memory = create_memory("buffer", store=over(lists), conversation_id="c")
    memory.save_context({"input": "a"}, {"output": "b"})
    with pytest.raises(UnsupportedError, match=r"'(states|forget)'"):
        memory.forget([1])
    assert len(memory.history()) == 2
    memory.clear()
    assert lists.kept == {}
    retriever = create_memory("vector-retriever", store=over(lists), conversation_id="c")
    with pytest.raises(UnsupportedError, match="'embeddings'"):
        retriever.save_context({"input": "a"}, {"output": "b"})
