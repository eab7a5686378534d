"""The rules for every strategy about explaining what it shows."""

import asyncio
import json

from memzoo.memories.testing.tools import ContractTools
from memzoo.memories.text.messages import text_of

__all__ = ["ExplainContract"]

_QUERY = "Where does <b>Anna</b> live?"


class ExplainContract(ContractTools):
    """An explanation is about just what is shown, and leaves no message of the log out."""

    def test_explains_what_it_shows(self) -> None:
        """The explanation has the messages that are shown, in order, with what they cost."""
        memory = self.told()
        shown = memory.messages(_QUERY)
        told = memory.explain(_QUERY)
        assert [one.text for one in told.shown] == [text_of(message) for message in shown]
        assert told.tokens == sum(map(memory.counter, shown))
        assert told.strategy == memory.name

    def test_says_of_each_message_what_became_of_it(self) -> None:
        """Each message of the log is shown, or left out for a reason; what was shown was not left out."""
        memory = self.told()
        told = memory.explain(_QUERY)
        left_out = {one.number for one in told.left_out}
        shown = {one.number for one in told.shown} | {find.what for find in told.finds if find.shown}
        numbers = {entry.seq for entry in memory.entries()}
        assert left_out | (shown & numbers) == numbers
        assert not left_out & shown
        assert all(one.reason for one in told.left_out)

    def test_explains_as_text_json_and_html(self) -> None:
        """All three have the query; in HTML nobody's words are tags."""
        memory = self.told()
        memory.add_messages([{"role": "user", "content": "<script>alert('Anna')</script>"}])
        told = memory.explain(_QUERY)
        assert json.loads(json.dumps(told.as_dict())) == told.as_dict()
        assert told.as_dict()["query"] == (_QUERY if memory.needs_query else None)
        assert str(told).startswith(f"{memory.name} shows {len(told.shown)} message")
        html = told.as_html()
        assert html.startswith(f"<p>{memory.name} shows ")
        assert "<script>" not in html

    def test_explains_the_same_asynchronously(self) -> None:
        """The asynchronous twin gives the same, and neither changes anything."""
        memory = self.told()
        before = memory.history(), memory.messages(_QUERY)
        assert asyncio.run(memory.aexplain(_QUERY)) == memory.explain(_QUERY)
        assert (memory.history(), memory.messages(_QUERY)) == before
