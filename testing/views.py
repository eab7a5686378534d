"""The rules for every strategy about its views and their explanations."""

import json
from typing import Any

from memzoo.memories.base import BaseMemory
from memzoo.memories.text.families import FAMILIES
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.order import find_fault
from memzoo.stores import Message, Record
from memzoo.testing.tools import QUESTION, SAID, ContractTools, tell

_QUERY = "Where does <b>Anna</b> live?"
_PIRATE: Message = {"role": "system", "content": "You are a pirate."}
_POET: Message = {"role": "developer", "content": "You are a poet."}
_ASKED: Message = {"role": "user", "content": SAID[0][0]}
_CALLS: Message = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}],
}
_ANSWERED: Message = {"role": "assistant", "content": SAID[0][1]}


class ViewContract(ContractTools):
    """The rules about views: the system message comes first, fields with "@" are hidden, explanations are complete."""

    def under(self, *system: Message, **options: Any) -> BaseMemory:
        """Return a memory with the given system messages; a dozen exchanges follow each of them."""
        memory = self.make(**options)
        for message in system:
            memory.add_messages([message])
            tell(memory, *((f"Anna has {number} cats.", "Noted.") for number in range(12)))
        return memory

    def test_shows_the_system_message_first(self) -> None:
        """A system message comes first, however old it is, and is shown once even if it was saved twice."""
        memory = self.under(_PIRATE, _PIRATE)
        shown = memory.messages("Anna")
        assert shown[0] == _PIRATE
        assert shown.count(_PIRATE) == 1
        assert str(memory.load_memory_variables(QUESTION)[memory.memory_variables[-1]]).startswith(
            "System: You are a pirate."
        )

    def test_a_new_system_message_replaces_the_old(self) -> None:
        """A view shows only the newer of two system messages ("system" or "developer"), even in a reopened memory."""
        memory = self.under(_PIRATE, _POET, conversation_id="two")
        opened = self.make(store=memory.store, conversation_id="two")
        for one in (memory, opened):
            assert one.messages("Anna")[0] == _POET
            assert "pirate" not in f"{one.messages('Anna')} {one.load_memory_variables(QUESTION)}"
        assert memory.history()[0] == _PIRATE

    def test_forgetting_the_system_message_brings_back_the_old(self) -> None:
        """After a system message is forgotten, the system message before it is shown again."""
        memory = self.under(_PIRATE, _POET)
        (newest,) = [entry.seq for entry in memory.entries() if entry.message == _POET]
        memory.forget([newest])
        assert memory.messages("Anna")[0] == _PIRATE
        memory.clear()
        assert memory.messages("Anna") == []

    def test_learns_nothing_from_the_system_message(self) -> None:
        """No prompt to the model includes the system message."""
        model = self.model()
        memory = self.under(_PIRATE, _POET, llm=model, **self.asking_early())
        memory.messages("Where does Anna live?")
        assert model.asked
        assert not [prompt for _, prompt in model.asked if "pirate" in prompt or "poet" in prompt]

    def test_keeps_the_system_message_without_history(self) -> None:
        """With `keep_history=False`, old messages are deleted, but not the system message."""
        memory = self.under(_PIRATE, keep_history=False)
        assert memory.history()[0] == memory.messages("Anna")[0] == _PIRATE

    def test_a_request_is_in_order(self) -> None:
        """A request has one system message, then alternating turns of user and assistant. It ends with the question.

        The system message begins with the system text given to `request`. Whatever the log contains, the request
        follows the rules of the given family of endpoints.
        """
        memory = self.under(_PIRATE)
        empty, result = {"role": "assistant", "content": ""}, {"role": "tool", "tool_call_id": "c", "content": ""}
        for said in ([_ANSWERED], [_ASKED], [_ASKED, empty], [_CALLS, result], [_CALLS]):
            memory.add_messages(said)
            for family in FAMILIES.values():
                request = memory.request(_QUERY, system="You are kind.", family=family)
                assert not (fault := find_fault(request, family)), fault
                assert request[0]["content"].startswith("You are kind.\n\nYou are a pirate.")
                assert request[-1]["content"].endswith(_QUERY)
        assert memory.history()[-1] == _CALLS

    def test_calls_with_one_id_are_told_apart(self) -> None:
        """Two tool calls with the same id get different ids in a view, each with its own result."""
        memory = self.make()
        call = {"id": "c", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
        said: list[Message] = [
            {"role": "user", "content": "What is the weather in Oslo and Bergen?"},
            {"role": "assistant", "content": None, "tool_calls": [call, call]},
            *({"role": "tool", "tool_call_id": "c", "content": weather} for weather in ("sunny", "rainy")),
        ]
        memory.add_messages(said)
        request = memory.request("And now?", family="any")
        assert not (fault := find_fault(request)), fault
        for shown in (memory.messages("Oslo"), request):
            (ids,) = [[one["id"] for one in message["tool_calls"]] for message in shown if message.get("tool_calls")]
            assert len({*ids}) == len(ids)
            results = [(one["tool_call_id"], one["content"]) for one in shown if one["role"] == "tool"]
            assert results == list(zip(ids, ("sunny", "rainy"), strict=True))
        assert memory.history() == said

    def test_explains_what_it_shows(self) -> None:
        """An explanation lists the shown messages in order, with their token counts, and changes nothing."""
        memory = self.told()
        shown, history = memory.messages(_QUERY), memory.history()
        told = memory.explain(_QUERY)
        assert (memory.messages(_QUERY), memory.history()) == (shown, history)
        assert [one.text for one in told.shown] == [text_of(message) for message in shown]
        assert told.tokens == round(sum(map(memory.render.counter, shown)))
        assert told.strategy == memory.name

    def test_says_of_each_message_what_became_of_it(self) -> None:
        """An explanation lists each message of the log as shown or as left out, with the reason."""
        memory = self.told()
        told = memory.explain(_QUERY)
        left_out = {one.number for one in told.left_out}
        shown = {one.number for one in told.shown} | {find.what for find in told.finds if find.shown}
        numbers = {entry.seq for entry in memory.entries()}
        assert left_out | (shown & numbers) == numbers
        assert not left_out & shown
        assert all(one.reason for one in told.left_out)

    def test_explains_as_text_and_json(self) -> None:
        """An explanation can be written as text and as JSON."""
        memory = self.told()
        told = memory.explain(_QUERY)
        assert json.loads(json.dumps(told.as_dict())) == told.as_dict()
        assert told.as_dict()["query"] == (_QUERY if memory.needs_query else None)
        assert str(told).startswith(f"{memory.name} shows {len(told.shown)} message")

    def test_tells_which_entries_it_shows(self) -> None:
        """`Shown.entries` has the log entry of each message shown, or `None` if the message is a recalled text."""
        memory = self.told()
        memory.add_messages([{"role": "user", "content": "Where does Anna live?"}])
        shown, entries = memory.messages(), {entry.seq: entry for entry in memory.entries()}
        pairs = list(zip(shown, shown.entries, strict=True))
        assert all(entry == entries[entry.seq] and entry.message == message for message, entry in pairs if entry)
        assert [not entry for _, entry in pairs] == shown.recalled
        assert pairs[-1] == (entries[5].message, entries[5])

    def test_a_question_takes_no_exchanges_place(self) -> None:
        """A view shows the same earlier messages before and after the user's question is stored."""
        memory = self.make()
        tell(memory, *((f"Anna has {number} cats.", "Noted.") for number in range(3)))
        before = [entry.seq for entry in memory.messages(_ASKED["content"], catch_up=False).entries if entry]
        memory.add_messages([_ASKED], learn=False)
        assert [entry.seq for entry in memory.messages(catch_up=False).entries if entry] == [*before, 7]

    def test_keeps_what_is_a_hosts_to_itself(self) -> None:
        """A field whose name begins with `@` stays in the log, and appears in no view and no prompt."""
        model = self.model() if self.asks_model else None
        memory = self.make(**self.asking_early(), **({"llm": model} if model else {}))
        memory.add_messages([Record(_ASKED, {"@host": "zebra"}), Record(_ANSWERED, {"@host": "zebra"})])
        tell(memory, *SAID * 10)  # long enough for every window
        shown = f"{memory.load_memory_variables(QUESTION)} {memory.messages('Where does Anna live?')}"
        asked = model.asked if model else []
        assert "zebra" not in f"{shown} {memory.history()} {asked}"
        assert [entry.fields for entry in memory.entries(2)] == [{"@host": "zebra"}] * 2
        assert bool(asked) == self.asks_model
