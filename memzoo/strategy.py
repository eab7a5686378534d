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
    from memzoo.memories.models.chat import ChatFunction as ChatFunction
    from memzoo.memories.models.chat import ModelOption as ModelOption
    from memzoo.memories.models.chat import as_model as as_model
    from memzoo.memories.models.replies import prose as prose
    from memzoo.memories.models.replies.lines import refuses as refuses
    from memzoo.memories.models.replies.lines import says_nothing as says_nothing
    from memzoo.memories.options import AtLeast as AtLeast
    from memzoo.memories.options import names as names
    from memzoo.memories.options import strategy as strategy
    from memzoo.memories.options import whole_number as whole_number
    from memzoo.memories.strategies.model_backed import ModelBackedMemory as ModelBackedMemory
    from memzoo.memories.strategies.named import further_names as further_names
    from memzoo.memories.strategies.named import short_name as short_name
    from memzoo.memories.strategies.named import strategy_named as strategy_named
    from memzoo.memories.text.framing import frame_text as frame_text
    from memzoo.memories.text.framing import in_frame as in_frame
    from memzoo.memories.text.grouping import exchange_ends as exchange_ends
    from memzoo.memories.text.grouping import is_answer as is_answer
    from memzoo.memories.text.grouping import is_instruction as is_instruction
    from memzoo.memories.text.messages import checked as checked
    from memzoo.memories.text.messages import sendable as sendable
    from memzoo.memories.text.messages import text_of as text_of
    from memzoo.memories.text.messages import tool_call as tool_call
    from memzoo.memories.text.order import arrange as arrange
    from memzoo.memories.text.thoughts import set_thoughts_apart as set_thoughts_apart
    from memzoo.memories.text.tokens import token_counter as token_counter
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
            "memzoo.memories.models.chat": "ChatFunction ModelOption as_model",
            "memzoo.memories.models.replies": "prose",
            "memzoo.memories.models.replies.lines": "refuses says_nothing",
            "memzoo.memories.options": "AtLeast names strategy whole_number",
            "memzoo.memories.strategies.model_backed": "ModelBackedMemory",
            "memzoo.memories.strategies.named": "further_names short_name strategy_named",
            "memzoo.memories.text.framing": "frame_text in_frame",
            "memzoo.memories.text.grouping": "exchange_ends is_answer is_instruction",
            "memzoo.memories.text.messages": "checked sendable text_of tool_call",
            "memzoo.memories.text.thoughts": "set_thoughts_apart",
            "memzoo.memories.text.order": "arrange",
            "memzoo.memories.text.tokens": "token_counter",
            "memzoo.memories.text.view": "Passage View",
            "memzoo.stores": "Entry JSON Message",
        },
    )
