"""The rules for every strategy about its views and their explanations."""

import json
from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.memories.text.messages import text_of
from memzoo.stores import Message, Record
from memzoo.testing.tools import QUESTION, SAID, ContractTools, tell

__all__ = ["ViewContract"]

_QUERY = "Where does <b>Anna</b> live?"
_PIRATE: Message = {"role": "system", "content": "You are a pirate."}
_POET: Message = {"role": "developer", "content": "You are a poet."}
_ASKED: Message = {"role": "user", "content": SAID[0][0]}
_ANSWERED: Message = {"role": "assistant", "content": SAID[0][1]}


class ViewContract(ContractTools):
    """One system message is shown first, a host's own fields never, and an explanation leaves no message out."""

    def under(self, *system: Message, **options: Any) -> BaseMemory:
        """Return a memory with system messages, each followed by a dozen exchanges."""
        memory = self.make(**options)
        for message in system:
            memory.add_messages([message])
            tell(memory, *((f"Anna has {number} cats.", "Noted.") for number in range(12)))
        return memory

    def test_shows_the_system_message_first(self) -> None:
        """The system message comes first, even if it is old, and once even if it was given twice."""
        memory = self.under(_PIRATE, _PIRATE)
        shown = memory.messages("Anna")
        assert shown[0] == _PIRATE
        assert shown.count(_PIRATE) == 1
        assert str(memory.load_memory_variables(QUESTION)[memory.memory_variables[-1]]).startswith(
            "System: You are a pirate."
        )

    def test_a_new_system_message_replaces_the_old(self) -> None:
        """Of two system messages only the newer one counts, by either name of the role, also in a later memory."""
        memory = self.under(_PIRATE, _POET, conversation_id="two")
        opened = self.make(store=memory.store, conversation_id="two")
        for one in (memory, opened):
            assert one.messages("Anna")[0] == _POET
            assert "pirate" not in f"{one.messages('Anna')} {one.load_memory_variables(QUESTION)}"
        assert memory.history()[0] == _PIRATE

    def test_forgetting_the_system_message_brings_back_the_old(self) -> None:
        """A forgotten system message does not count; the one before it does."""
        memory = self.under(_PIRATE, _POET)
        (newest,) = [entry.seq for entry in memory.entries() if entry.message == _POET]
        memory.forget([newest])
        assert memory.messages("Anna")[0] == _PIRATE
        memory.clear()
        assert memory.messages("Anna") == []

    def test_learns_nothing_from_the_system_message(self) -> None:
        """No prompt has the system message as if somebody had said it."""
        model = self.model()
        memory = self.under(_PIRATE, _POET, llm=model, **self.asking_early())
        memory.messages("Where does Anna live?")
        assert model.asked
        assert not [prompt for _, prompt in model.asked if "pirate" in prompt or "poet" in prompt]

    def test_keeps_the_system_message_without_history(self) -> None:
        """With `keep_history=False` the system message stays when messages are deleted."""
        memory = self.under(_PIRATE, keep_history=False)
        assert memory.history()[0] == memory.messages("Anna")[0] == _PIRATE

    def test_explains_what_it_shows(self) -> None:
        """The explanation has the shown messages, in order, with their costs, and changes nothing."""
        memory = self.told()
        shown, history = memory.messages(_QUERY), memory.history()
        told = memory.explain(_QUERY)
        assert (memory.messages(_QUERY), memory.history()) == (shown, history)
        assert [one.text for one in told.shown] == [text_of(message) for message in shown]
        assert told.tokens == sum(map(memory.counter, shown))
        assert told.strategy == memory.name

    def test_says_of_each_message_what_became_of_it(self) -> None:
        """Each message of the log is either shown, or left out for a reason."""
        memory = self.told()
        told = memory.explain(_QUERY)
        left_out = {one.number for one in told.left_out}
        shown = {one.number for one in told.shown} | {find.what for find in told.finds if find.shown}
        numbers = {entry.seq for entry in memory.entries()}
        assert left_out | (shown & numbers) == numbers
        assert not left_out & shown
        assert all(one.reason for one in told.left_out)

    def test_explains_as_text_and_json(self) -> None:
        """Both name the strategy or the query."""
        memory = self.told()
        told = memory.explain(_QUERY)
        assert json.loads(json.dumps(told.as_dict())) == told.as_dict()
        assert told.as_dict()["query"] == (_QUERY if memory.needs_query else None)
        assert str(told).startswith(f"{memory.name} shows {len(told.shown)} message")

    def test_tells_which_entries_it_shows(self) -> None:
        """Each message of a view comes with its entry in the log, or with none if it was derived."""
        memory = self.told()
        memory.add_messages([{"role": "user", "content": "Where does Anna live?"}])
        shown, entries = memory.messages(), {entry.seq: entry for entry in memory.entries()}
        pairs = list(zip(shown, shown.entries, strict=True))
        assert all(entry == entries[entry.seq] and entry.message == message for message, entry in pairs if entry)
        assert [not entry for _, entry in pairs] == shown.recalled
        assert pairs[-1] == (entries[5].message, entries[5])

    def test_a_question_takes_no_exchanges_place(self) -> None:
        """Messages shown for a question are still shown when the log ends with it, without an answer."""
        memory = self.make()
        tell(memory, *((f"Anna has {number} cats.", "Noted.") for number in range(3)))
        before = [entry.seq for entry in memory.messages(_ASKED["content"], catch_up=False).entries if entry]
        memory.add_messages([_ASKED], learn=False)
        assert [entry.seq for entry in memory.messages(catch_up=False).entries if entry] == [*before, 7]

    def test_keeps_what_is_a_hosts_to_itself(self) -> None:
        """A field with a name that begins with `@` is in the log, but in no view and no prompt."""
        model = self.model() if self.asks_model else None
        memory = self.make(**self.asking_early(), **({"llm": model} if model else {}))
        memory.add_messages([Record(_ASKED, {"@host": "zebra"}), Record(_ANSWERED, {"@host": "zebra"})])
        tell(memory, *SAID * 10)  # long enough for every window
        shown = f"{memory.load_memory_variables(QUESTION)} {memory.messages('Where does Anna live?')}"
        asked = model.asked if model else []
        assert "zebra" not in f"{shown} {memory.history()} {asked}"
        assert [entry.fields for entry in memory.entries(2)] == [{"@host": "zebra"}] * 2
        assert bool(asked) == self.asks_model
