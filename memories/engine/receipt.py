"""What `forget` gives back."""

from dataclasses import dataclass

__all__ = ["REMAINS", "Receipt"]

REMAINS = (
    "Copies of what was deleted may be left in the store's files: `memzoo forget --thorough`, or "
    "store.scrub(thorough=True), rewrites them, while others wait."
)
"""Said where a store has deleted something, and has not rewritten its files since."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a request to forget.

    Attributes:
        removed: The log numbers of the messages that were deleted, in order.
        rederived: The names of the states that had learnt from them, and are derived anew.
        outstanding: What is not done yet: the names of states that were deleted and are derived anew by the next call
            of a memory with that strategy, or in the background; and what failed, with the reason.
        calls: Calls of models and embedders that it took.
        erased: Whether nothing is left in the store's files, because they were rewritten or there are none. If not,
            `remains` says what to do about it.
    """

    removed: tuple[int, ...]
    rederived: tuple[str, ...] = ()
    outstanding: tuple[str, ...] = ()
    calls: int = 0
    erased: bool = True

    @property
    def remains(self) -> str:
        """What may be left in the store's files, and which command removes it; "" if nothing is."""
        return "" if self.erased else REMAINS
