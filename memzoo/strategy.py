"""All names for writing a strategy: `from memzoo.strategy import BaseMemory, Log, State, View, strategy`.

docs/extending.md explains the hooks and shows a package that adds a strategy.
"""

from memzoo.errors import ModelError, ModelReplyError, OptionError
from memzoo.memories.base import BaseMemory
from memzoo.memories.engine.log import Log
from memzoo.memories.engine.state import Changes, State
from memzoo.memories.models.replies import prose
from memzoo.memories.options import AtLeast, strategy
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.text.messages import text_of
from memzoo.memories.text.view import Passage, View
from memzoo.stores import JSON, Entry, Message

__all__ = [
    "JSON",
    "AtLeast",
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
    "prose",
    "strategy",
    "text_of",
]
