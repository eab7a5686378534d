"""All names for writing a strategy: `from memzoo.strategy import BaseMemory, Log, State, View, strategy`.

docs/extending.md explains the hooks and shows a package that adds a strategy. Each name is loaded at its first use.
"""

from typing import TYPE_CHECKING

from memzoo._lazy import lazy

if TYPE_CHECKING:  # the same names as in the table below; a test compares both
    from memzoo.errors import ModelError as ModelError
    from memzoo.errors import ModelReplyError as ModelReplyError
    from memzoo.errors import OptionError as OptionError
    from memzoo.memories.base import BaseMemory as BaseMemory
    from memzoo.memories.engine.log import Log as Log
    from memzoo.memories.engine.state import Changes as Changes
    from memzoo.memories.engine.state import State as State
    from memzoo.memories.models.replies import prose as prose
    from memzoo.memories.options import AtLeast as AtLeast
    from memzoo.memories.options import strategy as strategy
    from memzoo.memories.strategies.model_backed import ModelBackedMemory as ModelBackedMemory
    from memzoo.memories.text.messages import text_of as text_of
    from memzoo.memories.text.view import Passage as Passage
    from memzoo.memories.text.view import View as View
    from memzoo.stores import JSON as JSON
    from memzoo.stores import Entry as Entry
    from memzoo.stores import Message as Message
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "memzoo.errors": "ModelError ModelReplyError OptionError",
            "memzoo.memories.base": "BaseMemory",
            "memzoo.memories.engine.log": "Log",
            "memzoo.memories.engine.state": "Changes State",
            "memzoo.memories.models.replies": "prose",
            "memzoo.memories.options": "AtLeast strategy",
            "memzoo.memories.strategies.model_backed": "ModelBackedMemory",
            "memzoo.memories.text.messages": "text_of",
            "memzoo.memories.text.view": "Passage View",
            "memzoo.stores": "Entry JSON Message",
        },
    )
