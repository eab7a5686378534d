"""A conversation marks where the next turn's request still begins alike, for a provider's cache."""

from typing import TYPE_CHECKING, Any

from memzoo.memories import Conversation, cache_control

if TYPE_CHECKING:
    from tests.memories.chat.conftest import Endpoint


def marked(messages: list[dict[str, Any]]) -> list[int]:
    """The places of the messages that have a mark."""
    return [place for place, one in enumerate(messages) if "cache_control" in str(one["content"])]


def test_marks_the_last_message_that_stays(endpoint: "Endpoint") -> None:
    """The request of the next turn begins with all up to the mark."""
    conversation = Conversation(endpoint.model, "window", k=2, step=3, system="Be brief.", mark_stable=cache_control)
    before: list[Any] = []
    for number in range(9):
        endpoint.says(f"answer {number}")
        conversation.send(f"question {number}")
        sent = endpoint.asked[-1]["messages"]
        (place,) = marked(sent)
        plain = [one | {"content": one["content"][0]["text"]} if at == place else one for at, one in enumerate(sent)]
        assert plain[: len(before)] == before
        before = plain[: place + 1]
        assert len(before) in (1, len(sent) - 1)


def test_without_it_nothing_is_marked(endpoint: "Endpoint") -> None:
    """What is sent is what the memory shows."""
    conversation = Conversation(endpoint.model, "buffer", system="Be brief.")
    endpoint.says("answer")
    conversation.send("question")
    assert marked(endpoint.asked[-1]["messages"]) == []


def test_what_is_stored_has_no_mark(endpoint: "Endpoint") -> None:
    """The mark is in what is sent alone."""
    conversation = Conversation(endpoint.model, "buffer", mark_stable=cache_control)
    for _ in range(2):
        endpoint.says("answer")
        conversation.send("question")
    assert marked(endpoint.asked[-1]["messages"]) == [1]
    assert marked(conversation.memory.history()) == []
