"""A slice of the kills of imports and of rewritten code; `python -m tools.faults "import killed"` does all."""

import functools

from tools.faults.moving import kill_imports, kill_migrations
from tools.faults.places import Places
from tools.faults.tally import Tally


def test_a_killed_import_goes_on(places: Places):
    """Nothing is lost, doubled or half there: new conversations are whole, and the next import does the rest."""
    tally = Tally("import killed", "llama-index", "sqlite")
    kill_imports(tally, functools.partial(places.url, "sqlite"), places, kills=2)
    assert tally.tried == 2
    assert tally.clean, tally.examples


def test_killed_rewriting_goes_on(places: Places):
    """Each file is as it was or as it is to be, mode and all, and nothing lies beside it in the end."""
    tally = Tally("migrate killed", "programs", "files")
    kill_migrations(tally, places, kills=2)
    assert tally.tried == 2
    assert tally.clean, tally.examples
