"""Over every window, by both rules, in all kinds of stores: what is shown is in the log, also after a restart."""

from pathlib import Path
from random import Random

import pytest

from tests.memories.talks import STORES, Talk, talk


@pytest.mark.parametrize("seed", range(15))
def test_what_is_shown_is_in_the_log_and_is_shown_again_after_a_restart(seed: int, tmp_path: Path) -> None:
    """After any call: adding, setting, forgetting, retaining, editing, pinning; with and without history and steps."""
    kind = STORES[seed % len(STORES)]
    assert Talk(Random(seed), tmp_path, kind).run(20).total() == 20  # noqa: S311 - no secret


@pytest.mark.parametrize("seed", range(4))
def test_a_slice_of_the_long_run(seed: int) -> None:
    """The talks of `make sequences` hold."""
    assert talk(seed, 12)
