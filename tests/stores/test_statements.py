"""What a database would have to understand that says it is PostgreSQL."""

import re
from pathlib import Path

from tests.stores.statements import PAGE, statements

SCALE = Path(__file__).parents[2] / "docs" / "scale.md"


def test_every_statement_is_listed(postgres_url: str) -> None:
    """The file has what the store sends, no more and no less; `python -m tests.stores.statements` writes it anew."""
    assert statements(postgres_url) == PAGE.read_text(encoding="utf-8")


def test_the_page_names_what_is_sent() -> None:
    """Each of the unusual parts that `docs/scale.md` tells to try first is in one of the statements."""
    listed = PAGE.read_text(encoding="utf-8").lower()
    part = (
        SCALE.read_text(encoding="utf-8").partition("## What speaks PostgreSQL's protocol\n")[2].partition("\n## ")[0]
    )
    tried = part.partition("least usual first: ")[2].partition(". Then")[0]
    named = re.findall(r"`([^`]+)`", tried)
    assert len(named) >= 5
    assert [one for one in named if one.lower() not in listed] == []
