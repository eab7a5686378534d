"""Objects that LangChain takes for its own."""

import sys
from typing import ClassVar

__all__ = ["Posing"]


class Posing:
    """Passes for a class of LangChain wherever one is asked for, once LangChain has been imported."""

    # In which modules, and what the class is called there.
    poses_as: ClassVar[tuple[str, ...]] = ("langchain_classic.base_memory", "langchain_core.memory")
    pose: ClassVar[str] = "BaseMemory"

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        # Chains check with isinstance, which asks for this. A subclass would need LangChain whenever it is imported.
        found = (getattr(sys.modules.get(name), self.pose, None) for name in self.poses_as)
        return next(filter(None, found), type(self))

    @__class__.setter
    def __class__(self, value: type) -> None:
        raise TypeError(f"a {type(self).__name__} cannot become a {value.__name__}")
