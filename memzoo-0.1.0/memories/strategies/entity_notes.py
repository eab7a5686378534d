"""The notes of the entity memory: one for each person or thing, whatever name is used for it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memzoo.memories.text.names import canonical, folded, mentions

__all__ = ["EntityNotes"]


@dataclass(frozen=True, slots=True)
class EntityNotes:
    """Notes by the canonical names of what they are about.

    Attributes:
        items: Of an entity `name` and `summary`; of another name for it `name` and `of`, the key of the entity.
    """

    items: Mapping[str, Mapping[str, str]]

    def key(self, name: str) -> str:
        """The key of the entity that a name stands for, known or not."""
        key, seen = canonical(name), list[str]()
        while (item := self.items.get(key)) and "of" in item:
            # A state from elsewhere may have names that stand for each other in a circle: they are one entity.
            if key in seen:
                return min(seen[seen.index(key) :])
            seen.append(key)
            key = item["of"]
        return key

    def name(self, key: str, otherwise: str) -> str:
        """The name by which an entity was noted."""
        return self.items.get(key, {}).get("name", otherwise)

    def summary(self, key: str) -> str:
        """The note on an entity; "" if there is none."""
        return self.items.get(key, {}).get("summary", "")

    def asked_about(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """What is known about names, each entity once: its name, its note ("" for a new one) and other names for it."""
        keys: dict[str, str] = {}
        for name in names:
            keys.setdefault(self.key(name), name)
        return [
            {"name": self.name(key, name), "summary": self.summary(key), "aliases": self._aliases(key)}
            for key, name in keys.items()
        ]

    def found(self, names: Iterable[str]) -> dict[str, str]:
        """The notes on names, "" for a new one. A name that is not known finds all names that it is a part of."""
        notes: dict[str, str] = {}
        for name in names:
            keys = [self.key(name)]
            if keys[0] not in self.items:
                words = set(keys[0].split())
                keys = sorted({self.key(known) for known in self.items if words <= set(known.split())}) or keys
            notes |= {self.name(key, name): self.summary(key) for key in keys}
        return notes

    def standing_in(self, text: str) -> Iterator[str]:
        """The known names that stand in a text."""
        plain = folded(text)
        likely = ((key, item["name"]) for key, item in sorted(self.items.items()) if key in plain)
        return (name for key, name in likely if mentions(plain, key))

    @property
    def notes(self) -> dict[str, str]:
        """All notes by name, sorted by name."""
        return {item["name"]: item["summary"] for _, item in sorted(self.items.items()) if "of" not in item}

    @property
    def aliases(self) -> dict[str, str]:
        """Other names for entities, each with the name by which the entity was noted, sorted."""
        others = sorted((key, item["name"]) for key, item in self.items.items() if "of" in item)
        return {alias: self.name(self.key(key), "") for key, alias in others}

    def changes(
        self, notes: Mapping[str, str], same: Mapping[str, str], shown: Iterable[str]
    ) -> dict[str, Mapping[str, str]]:
        """What changes by new notes, and by names that turn out to mean the same.

        Args:
            notes: New notes by name.
            same: Names, each with the name that means the same and is to be kept.
            shown: The names whose old notes the new ones were written in view of.
        """
        changed: dict[str, Mapping[str, str]] = {}
        for name, summary in notes.items():
            key = self.key(name)
            changed[key] = {"name": self.name(key, name), "summary": summary}
        written, seen = set(changed), set(map(self.key, shown))
        for alias, name in same.items():
            now = EntityNotes({**self.items, **changed})
            one, other = now.key(name), now.key(alias)
            if one != other:
                known = [] if one in written and other in seen - written else [now.summary(other)]
                summary = " ".join(filter(None, dict.fromkeys([now.summary(one), *known])))
                changed[one] = {"name": now.name(one, name), "summary": summary}
                changed[other] = {"name": now.name(other, alias), "of": one}
        return changed

    def _aliases(self, key: str) -> list[str]:
        others = sorted((other, item) for other, item in self.items.items() if "of" in item)
        return [item["name"] for other, item in others if other != key and self.key(other) == key]
