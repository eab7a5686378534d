"""Contract suites for your own memories, as tests to inherit, and models with scripted answers.

Subclass `MemoryContract` for your own strategy::

    class TestMyMemory(MemoryContract):
        strategy = MyMemory
"""

import pytest

# Before they are imported: pytest shows the values of an `assert` only in registered modules.
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in ("contract", "failures", "forgetting", "views")))

from memzoo.testing.contract import MemoryContract  # noqa: E402
from memzoo.testing.scripted import FlakyModel, ScriptedModel  # noqa: E402

__all__ = ["FlakyModel", "MemoryContract", "ScriptedModel"]
