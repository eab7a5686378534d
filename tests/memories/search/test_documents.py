"""What is searched of a message, and what is shown of it."""

from datetime import UTC, datetime

from memzoo.memories.search.documents import Documents
from memzoo.memories.text.messages import Labels
from memzoo.stores import Entry


def test_a_hosts_own_form_is_neither_searched_nor_shown() -> None:
    """A field whose name begins with `@` is left out; other fields are searched and shown beside the message."""
    said = {"role": "user", "content": "It is Rex."}
    fields = {"@host": '{"id": "zebra"}', "place": "Oslo"}
    entry = Entry(1, said, "turn", datetime(2026, 5, 8, tzinfo=UTC), fields)
    documents = Documents(Labels("Human", "AI"), frozenset())
    (passage,) = documents.passages([entry])
    assert passage.text == "It is Rex.\nplace: Oslo"
    assert documents.text([entry]) == "place: Oslo"
    alone = Entry(1, said, "turn", entry.created_at, {"@host": "zebra"})
    assert documents.text([alone]) == "Human: It is Rex."
