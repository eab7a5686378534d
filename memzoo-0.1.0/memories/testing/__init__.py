"""For testing memories of your own: contract suites to inherit, and models whose answers are scripted.

Subclass `MemoryContract` for a strategy of your own::

    class TestMyMemory(MemoryContract):
        strategy = MyMemory
"""

from memzoo.memories.testing.contract import MemoryContract
from memzoo.memories.testing.scripted import FlakyModel, ScriptedModel

__all__ = ["FlakyModel", "MemoryContract", "ScriptedModel"]
