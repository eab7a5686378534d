"""What a provider put into its message comes back as the provider wants it, and nothing that it refuses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from memzoo.http_library import http
from memzoo.memories import STRATEGIES, ChatModel, Conversation, create_memory
from memzoo.memories.strategies.named import further_names
from memzoo.stores import InMemoryStore, Message, Store, export_conversation, import_conversation, open_store
from tests.memories.chat.strict import STRICT, StrictEndpoint
from tests.memories.chat.turns import Mishap, failed
from tests.memories.chat.ways import WAYS


@pytest.fixture(params=STRICT)
def strict(request: pytest.FixtureRequest) -> Iterator[StrictEndpoint]:
    """Each strict endpoint, running."""
    with STRICT[request.param]().running() as endpoint:
        yield endpoint


def model(endpoint: StrictEndpoint) -> ChatModel:
    """The endpoint's model; its clients read no certificates, which takes longer than all the rest."""
    known: dict[str, Any] = {"base_url": endpoint.url, "api_key": "none", "max_retries": 0}
    client = openai.OpenAI(**known, http_client=http.Client(verify=False))
    async_client = openai.AsyncOpenAI(**known, http_client=http.AsyncClient(verify=False))
    return ChatModel(endpoint.model_name, client, async_client)


def note(number: int) -> str:
    """Note a number."""
    return f"noted {number}"


def talk(endpoint: StrictEndpoint, store: Store, name: str = "summary-buffer") -> Conversation:
    """A conversation in a store, as it is opened by a process that has just begun."""
    options: dict[str, Any] = {"max_token_limit": 150} if name == "summary-buffer" else {}
    memory = create_memory(name, llm="offline", store=store, conversation_id="c", **options, learn_every=1)
    family = "openrouter" if "claude" in endpoint.model_name else None
    return Conversation(model(endpoint), memory, tools=[note], system="Be brief.", family=family)


def kept(message: Message) -> Message:
    """What the log has of a message that was sent: thoughts that stood in the words are apart."""
    thoughts, mark, words = (message["content"] or "").rpartition("\n</think>\n\n")
    apart = {"reasoning_content": thoughts.removeprefix("<think>\n")} if mark else {}
    return message | {"content": words or None} | apart


def test_a_long_talk(strict: StrictEndpoint, tmp_path: Path) -> None:
    """With compaction, restarts, an edit, an import and a change of strategy between, every turn is answered.

    Each turn is said in another way; the log has each member byte for byte.
    """
    store = open_store(f"sqlite:///{tmp_path / 'first.db'}")
    conversation = talk(strict, store)
    for turn in range(1, 15):
        if turn == 5:  # a restart
            store.close()
            store = open_store(f"sqlite:///{tmp_path / 'first.db'}")
            conversation = talk(strict, store)
        if turn == 9:  # a move into another store
            other = open_store(f"sqlite:///{tmp_path / 'second.db'}")
            import_conversation(other, list(export_conversation(store, "c")))
            store.close()
            store = other
            conversation = talk(strict, store)
        if turn == 11:  # another strategy, after a summary
            assert getattr(conversation.memory, "summary", "")
            conversation = talk(strict, store, "window")
        assert WAYS[turn % 4](conversation, f"Turn {turn}") == f"Noted {turn}."
        if turn == 7:  # an edit
            asked = conversation.memory.entries(3, newest_first=True)
            assert conversation.edit(asked[-1].seq - 1, "Again 7.") == "Noted 7."
    said = [message for message in conversation.memory.history() if message["role"] == "assistant"]
    sent = iter(map(kept, strict.said))
    assert all(message in sent for message in said)  # in this order
    assert not strict.refused
    store.close()


@pytest.mark.parametrize(
    ("name", "family"), [("buffer", "gemini"), *((name, "deepseek") for name in (*STRATEGIES, *further_names()))]
)
def test_every_strategy_gives_back(name: str, family: str) -> None:
    """Whatever a memory shows of its log is what the provider sent."""
    with STRICT[family]().running() as endpoint:
        conversation = Conversation(model(endpoint), create_memory(name, llm="offline", learn_every=1), tools=[note])
        for turn in range(1, 5):
            assert conversation.send(f"Turn {turn}") == f"Noted {turn}."
        assert not endpoint.refused


def test_calls_of_another_model_go_on(strict: StrictEndpoint) -> None:
    """A turn that another model has begun, and turns that it ended, are gone on with."""
    conversation = talk(strict, InMemoryStore(), "buffer")
    call = {"id": "other", "type": "function", "function": {"name": "note", "arguments": '{"number": 1}'}}
    conversation.memory.add_messages(
        [
            {"role": "user", "content": "Turn 1"},
            {"role": "assistant", "content": "One moment.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "other", "content": "noted 1"},
            {"role": "assistant", "content": "Noted 1."},
        ]
    )
    assert conversation.send("Turn 2") == "Noted 2."
    broken = conversation.memory.turn("Turn 3")
    result = {"role": "tool", "tool_call_id": "third", "content": "noted 3"}
    failed(broken, Mishap, {"role": "assistant", "content": None, "tool_calls": [{**call, "id": "third"}]}, result)
    assert conversation.regenerate() == "Noted 3."
    assert not strict.refused


def test_thoughts_that_go_back_are_counted() -> None:
    """A limit holds with the thoughts that a family gets back; a family without them has room for more messages."""
    thoughts = "One of many thoughts on this. " * 20

    def sent(family: str) -> list[Message]:
        memory = create_memory("buffer", token_counter="approximate")
        for turn in range(20):
            answer = {"role": "assistant", "content": f"Noted {turn}.", "reasoning_content": thoughts}
            memory.add_messages([{"role": "user", "content": f"Turn {turn}"}, answer])
        with STRICT[family]().running() as endpoint:
            conversation = Conversation(model(endpoint), memory, tools=[note], max_tokens=1000)
            conversation.send("Turn 20")
            return endpoint.sent(0)

    some, more = sent("deepseek"), sent("groq")
    assert 1 < sum(thoughts in str(one.get("reasoning_content")) for one in some) < 8
    assert len(more) > 3 * len(some)
