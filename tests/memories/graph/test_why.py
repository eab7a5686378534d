"""Why something is believed: the messages behind the facts about a name."""

import asyncio
from datetime import datetime, timedelta

from memzoo.errors import ModelError
from memzoo.memories import ConversationKGMemory
from memzoo.testing import ScriptedModel
from memzoo.types import Reason, Source


def told() -> tuple[ConversationKGMemory, ScriptedModel]:
    """A memory that was told twice where Nolan lives, and once more while its model was down."""
    model = ScriptedModel(
        "Christopher Nolan | directed | Memento\nChristopher Nolan | lives in | London",
        "Christopher Nolan | lives in | Paris",
        "Christopher Nolan | directed | Memento",
        ModelError("down"),
    )
    memory = ConversationKGMemory(llm=model, on_model_error="defer", learn_every=1)
    for said in (
        "Christopher Nolan directed Memento and lives in London",
        "No, Nolan lives in Paris!",
        "Yes, Nolan directed Memento",
        "He moved to Rome",
    ):
        memory.add_messages([{"role": "user", "content": said, "name": "Ann"}, {"role": "assistant", "content": "ok"}])
    return memory, model


def shown(reasons: list[Reason]) -> list[tuple[str, bool, list[int]]]:
    """Facts, whether they hold, and the messages behind them."""
    return [(str(reason.fact), reason.holds, [quote.seq for quote in reason.quotes]) for reason in reasons]


def test_tells_the_messages_behind_each_fact() -> None:
    """Oldest first, superseded ones marked and with the message that corrected them, every repetition named (K2)."""
    memory, _ = told()
    reasons = memory.why("Nolan")
    assert shown(reasons) == [
        ("Christopher Nolan lives in London", False, [1]),
        ("Christopher Nolan directed Memento", True, [1, 5]),
        ("Christopher Nolan lives in Paris", True, [3]),
    ]
    assert [reason.corrected_by and reason.corrected_by.text for reason in reasons] == [
        "No, Nolan lives in Paris!",
        None,
        None,
    ]


def test_quotes_word_for_word() -> None:
    """A message comes with its number, who said it, when, and its text."""
    memory, _ = told()
    quote = memory.why("Paris")[0].quotes[0]
    assert quote == Source(3, "Ann", quote.said_at, "No, Nolan lives in Paris!")
    assert isinstance(quote.said_at, datetime)
    assert quote.said_at.utcoffset() == timedelta(0)


def test_of_an_unknown_name_is_nothing() -> None:
    """Nothing is known of a name, so there is no reason for it."""
    assert told()[0].why("Zoe") == []


def test_asks_no_model_and_is_the_same_after_a_restart() -> None:
    """Another memory on the same store gives the same reasons, awaited or not; neither asks a model."""
    first, model = told()
    asked = len(model.asked)
    second = ConversationKGMemory(llm=model, store=first.store, conversation_id=first.conversation_id, learn_every=1)
    assert second.why("Nolan") == asyncio.run(second.awhy("Nolan")) == first.why("Nolan")
    assert len(model.asked) == asked
