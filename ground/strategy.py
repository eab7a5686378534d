"""All that a strategy of your own needs: `from memzoo.strategy import BaseMemory, Log, State, View, option, strategy`.

docs/extending.md explains the hooks, and has a package that adds a strategy.
"""

from memzoo.errors import ModelError, ModelReplyError, OptionError
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.options import option, strategy
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.text.view import Passage, View
from memzoo.stores import JSON, Entry, Message

__all__ = [
    "JSON",
    "BaseMemory",
    "Changes",
    "Entry",
    "Log",
    "Message",
    "ModelBackedMemory",
    "ModelError",
    "ModelReplyError",
    "OptionError",
    "Passage",
    "State",
    "View",
    "option",
    "strategy",
]
