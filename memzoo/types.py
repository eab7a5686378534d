"""Result types, for annotations: `from memzoo.types import Shown`. Each name is loaded at its first use."""

from typing import TYPE_CHECKING

from memzoo._lazy import lazy

if TYPE_CHECKING:  # the same names as in the table below; a test compares both
    from memzoo.memories.graph.fact import Reason as Reason
    from memzoo.memories.graph.fact import Source as Source
    from memzoo.memories.maintenance import Upkept as Upkept
    from memzoo.memories.models.chat import Completion as Completion
    from memzoo.memories.models.usage import Spent as Spent
    from memzoo.memories.text.explanation import Explanation as Explanation
    from memzoo.memories.text.families import Family as Family
    from memzoo.memories.text.view import Piece as Piece
    from memzoo.memories.text.view import Shown as Shown
    from memzoo.stores.forgetting import Receipt as Receipt
    from memzoo.stores.retention import DeletionReport as DeletionReport
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "memzoo.memories.text.explanation": "Explanation",
            "memzoo.stores.forgetting": "Receipt",
            "memzoo.stores.retention": "DeletionReport",
            "memzoo.memories.graph.fact": "Reason Source",
            "memzoo.memories.maintenance": "Upkept",
            "memzoo.memories.models.chat": "Completion",
            "memzoo.memories.models.usage": "Spent",
            "memzoo.memories.text.families": "Family",
            "memzoo.memories.text.view": "Piece Shown",
        },
    )
