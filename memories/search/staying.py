"""Keeps what was found in view: what is shown stays as it is, and what is found besides comes behind it.

What is chosen anew for each question is paid in full each time. Of what only grows, what is new is paid: the rest is
in the provider's cache. See docs/caching.md.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Generic, TypeAlias, TypeVar

__all__ = ["Blocks", "Staying"]

T = TypeVar("T", bound=Hashable)

Blocks: TypeAlias = Sequence[Sequence[T]]
"""What is shown, in the order in which it came to be."""

# When a smaller share of what is shown is wanted, the talk has gone elsewhere.
_LEAST_WANTED = 0.1


class Staying(Generic[T]):
    """What was shown for the questions so far. It is known to one memory object: another one begins anew."""

    def __init__(self) -> None:
        self._blocks: Blocks[T] = ()
        self._about: Hashable = None

    def shown(self, about: Hashable) -> list[T]:
        """All that stays shown; nothing if it was true of something else."""
        return [one for block in self._blocks for one in block] if self._about == about else []

    def with_new(
        self,
        wanted: Sequence[T],
        about: Hashable,
        fits: Callable[[Blocks[T]], bool],
        holds: Callable[[Collection[T]], bool] = lambda _: True,
    ) -> Blocks[T]:
        """What is shown now: what was shown, then what is new of what is wanted; or only what is wanted.

        It is only that when not all fits any more, when hardly anything of what was shown is wanted, and when
        something of it does not hold any more.

        Args:
            wanted: What fits the question.
            about: What it is true of, such as the log's epoch: where that has changed, nothing stays.
            fits: Whether blocks fit the limit.
            holds: Whether all that was shown is still so.
        """
        shown = self.shown(about)
        known = frozenset(shown)
        new = [one for one in wanted if one not in known]
        blocks = [*self._blocks, new] if new else self._blocks
        still = len(wanted) - len(new)
        if not shown or still < _LEAST_WANTED * len(shown) or not holds(shown) or not fits(blocks):
            blocks = [wanted] if wanted else []
        # One object: threads see all of it or nothing.
        self._about, self._blocks = about, blocks
        return blocks
