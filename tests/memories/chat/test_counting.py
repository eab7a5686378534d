"""A conversation's token estimate learns from the prompt tokens that an endpoint reports."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memzoo import Conversation, create_memory
from memzoo.cassettes import use_cassette
from memzoo.memories.text.estimating import Estimate, Factors
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.tokens import count_text
from memzoo.stores import InMemoryStore, Message

if TYPE_CHECKING:
    from tests.memories.chat.conftest import Endpoint

NEWS = "The ferry to Bergen was cancelled again, so the whole choir slept in the town hall and sang until morning."
CHINESE = "我姐姐安娜住在奥斯陆。她是小学老师。下周要搬到卑尔根去。" * 9


def cost(messages: list[Message]) -> int:
    """The tokens by a tokenizer that nobody has: three letters, or one of any other kind; six around a message."""
    return sum(6 + len(re.findall(r"[a-zA-Z]{1,3}|[^a-zA-Z\s]", text_of(one))) for one in messages)


def talk(endpoint: "Endpoint", conversation: Conversation, turns: int, text: str = NEWS) -> None:
    """Say things of one kind."""
    for number in range(turns):
        endpoint.says(f"{text} That was {number} times.")
        conversation.send(text)


@pytest.mark.parametrize("streamed", [False, True])
def test_after_five_answers_a_request_is_estimated_within_three_percent(
    endpoint: "Endpoint",
    streamed: bool,  # noqa: FBT001
) -> None:
    """So it is for a tokenizer that has 45 % more tokens than the table says; `usage` shows the estimate."""
    endpoint.count = cost
    conversation = Conversation(endpoint.model, "buffer")
    for _ in range(6):
        endpoint.says(NEWS)
        _ = [*conversation.stream(NEWS)] if streamed else conversation.send(NEWS)
    told = conversation.usage.estimated["scripted"]
    assert told["tokens"] == pytest.approx(cost(endpoint.sent()), rel=0.03)
    counter = conversation.memory.render.counter
    assert sum(map(counter, endpoint.sent())) + counter.base == pytest.approx(cost(endpoint.sent()), rel=0.03)
    assert Estimate().count_text(NEWS) < 0.75 * cost([{"content": NEWS}])


def test_a_limit_is_kept_by_the_endpoints_own_count(endpoint: "Endpoint") -> None:
    """`max_tokens` of a conversation is overrun by at most 3 % once five answers were counted."""
    endpoint.count = cost
    conversation = Conversation(endpoint.model, "buffer", max_tokens=400)
    talk(endpoint, conversation, 12)
    sent = [cost(request["messages"]) for request in endpoint.asked]
    assert max(sent[5:]) <= 400 * 1.03
    assert min(sent[6:]) >= 400 * 0.75


def test_another_process_counts_alike(endpoint: "Endpoint", tmp_path: Path) -> None:
    """The log keeps the factors: a memory that is open beside, and one that is opened later, have the same counts."""
    endpoint.count = cost
    store = f"sqlite:///{tmp_path}/chat.db"
    beside = create_memory("token-buffer", store=store, conversation_id="anna", max_token_limit=300)
    beside.messages()
    with Conversation(endpoint.model, "token-buffer", store=store, conversation_id="anna", max_token_limit=300) as one:
        talk(endpoint, one, 4)
        names = {one.memory.render.counter.name}
        assert beside.messages() == one.memory.messages()
        names.add(beside.render.counter.name)
    later = create_memory("token-buffer", store=store, conversation_id="anna", max_token_limit=300)
    assert later.messages() == beside.messages()
    assert names == {later.render.counter.name} != {"approximate"}
    beside.close()
    later.close()


def test_a_replayed_conversation_counts_as_it_did_when_recorded(endpoint: "Endpoint", tmp_path: Path) -> None:
    """The factors come from the recorded usage, so the window of each request, and each request, is the same."""
    endpoint.count = cost
    runs: list[Any] = []
    for _ in range(2):
        with use_cassette(tmp_path / "chat.yaml", record="once"):
            conversation = Conversation(endpoint.model, "token-buffer", max_token_limit=300, max_tokens=400)
            talk(endpoint, conversation, 8)
        memory = conversation.memory
        runs.append((conversation.usage.estimated, memory.render.counter.name, memory.messages()))
    assert runs[0] == runs[1]
    assert runs[0][1] != "approximate"
    assert len(endpoint.asked) == 8


def test_signs_keep_room_until_an_answer_counts_them(endpoint: "Endpoint") -> None:
    """Chinese texts differ most, so their first limit is not overrun; answers in English tell nothing of them."""
    endpoint.count = lambda messages: sum(5 + count_text(text_of(one), "approximate") for one in messages)
    conversation = Conversation(endpoint.model, "buffer")
    room = 1.1 * count_text(CHINESE, "approximate")
    assert conversation.memory.render.counter.of_text(CHINESE) > room
    talk(endpoint, conversation, 3)
    assert conversation.memory.render.counter.of_text(CHINESE) > room
    talk(endpoint, conversation, 2, CHINESE)
    assert conversation.memory.render.counter.of_text(CHINESE) < room


def test_a_model_of_a_known_family_begins_with_its_row(endpoint: "Endpoint") -> None:
    """The model's name chooses the tokenizer also for a memory that needs no model."""
    conversation = Conversation(type(endpoint.model)("Qwen/Qwen3-8B", base_url=endpoint.url, api_key="x"), "buffer")
    assert conversation.memory.render.counter.name == "approximate qwen"


def test_a_small_difference_moves_no_view(endpoint: "Endpoint") -> None:
    """Where the endpoint counts about what is estimated, counts stay valid, and the window begins as before (I17)."""
    endpoint.count = lambda messages: round(sum(map(Estimate().count_message, messages)) * 1.01) + 3
    conversation = Conversation(endpoint.model, "buffer")
    talk(endpoint, conversation, 5)
    assert conversation.memory.render.counter.name == "approximate"
    assert conversation.usage.estimated["scripted"]["learnt"] != Factors()


@pytest.mark.parametrize("counted", [0, 1, 10**9])
def test_an_impossible_count_teaches_nothing(endpoint: "Endpoint", counted: int) -> None:
    """A proxy may report no count, or that of something else."""
    endpoint.count = lambda _: counted
    conversation = Conversation(endpoint.model, "buffer")
    talk(endpoint, conversation, 2)
    assert (conversation.memory.render.counter.name, conversation.usage.estimated) == ("approximate", {})


def test_a_request_with_a_picture_teaches_nothing(endpoint: "Endpoint") -> None:
    """The weight of a picture is a guess, which must not become a factor of letters."""
    endpoint.count = cost
    picture: Any = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    conversation = Conversation(endpoint.model, "buffer")
    endpoint.says("A dog.")
    conversation.send({"role": "user", "content": [{"type": "text", "text": NEWS}, picture]})
    assert conversation.usage.estimated == {}


def test_what_is_forgotten_is_unlearnt(endpoint: "Endpoint") -> None:
    """The factors stand in the log with the answers, and nowhere else."""
    endpoint.count = cost
    store = InMemoryStore()
    conversation = Conversation(endpoint.model, "buffer", store=store, conversation_id="anna")
    talk(endpoint, conversation, 2)
    assert conversation.memory.render.counter.name != "approximate"
    conversation.memory.clear()
    conversation.memory.messages()
    assert conversation.memory.render.counter.name == "approximate"


def test_the_offline_model_and_exact_counters_learn_nothing() -> None:
    """The one has no tokenizer, the others have theirs."""
    choices: list[dict[str, Any]] = [{}, {"token_counter": len}]
    for options in choices:
        conversation = Conversation("offline", "buffer", **options)
        conversation.send(NEWS)
        assert conversation.usage.estimated == {}
