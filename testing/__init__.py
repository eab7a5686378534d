"""For testing memories of your own: contract suites to inherit, and models whose answers are scripted.

Subclass `MemoryContract` for a strategy of your own::

    class TestMyMemory(MemoryContract):
        strategy = MyMemory
"""

import pytest

# Before they are imported: pytest shows what an `assert` compared only in modules that it was told of.
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in ("contract", "failures", "forgetting", "views")))

from memzoo.testing.contract import MemoryContract  # noqa: E402
from memzoo.testing.scripted import FlakyModel, ScriptedModel  # noqa: E402

__all__ = ["FlakyModel", "MemoryContract", "ScriptedModel"]
