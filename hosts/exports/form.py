"""A row of the table of forms: how a form is recognised, and its reader."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memzoo.hosts.exports.chat_log import ChatLog, Unread
from memzoo.hosts.exports.members import pick

__all__ = ["Document", "Form", "Reader", "having"]

Reader: TypeAlias = Callable[[Any, str], Iterable[ChatLog | Unread]]
"""A function of a document, and of the title for a conversation without its own, that yields conversations."""

Document: TypeAlias = Literal["object", "list", "list or object", "text", "table", "folder", "database"]
"""The unit of a form: see `Form.document`."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of conversations in files.

    Attributes:
        name: The name of the application, and where needed of its form, as in "Open WebUI, text".
        document: The unit that is recognised and read.

            - "object": a JSON object; also each object of a list, and each line of JSON Lines. `recognise` and `read`
              get the object.
            - "list": a whole list of JSON values, or all lines of JSON Lines. `recognise` gets the first 10, or
              20 lines.
            - "list or object": a list, or an object of its own; both functions get either.
            - "text": a whole text. `recognise` gets the first 4,000 characters.
            - "table": CSV. `recognise` gets the names of the columns in lower case, `read` an iterator over the rows,
              each a dict by such names.
            - "folder": a folder, also in a ZIP. `recognise` gets the names in the folder, `read` a `pathlib.Path` or
              `zipfile.Path`.
            - "database": an SQLite file; `read` gets its path.
        recognise: A function that returns if a document has the form.
        read: The reader; a text of advice for a form that is only recognised, as in "export as JSON instead".
        known: The version or date of the application with the known form, and the source.
        get: The way to get the export.
        beside: The names of the files that the application puts beside the conversations, which are passed over;
            `*` stands for any text.
        items: The name of a list, the first member of an object, whose items are read one by one where the object is
            large: `read` gets objects with one item each.
    """

    name: str
    document: Document
    recognise: Callable[[Any], bool]
    read: Reader | str
    known: str
    get: str
    beside: tuple[str, ...] = ()
    items: str = ""


def having(*paths: str, **values: object) -> Callable[[Any], bool]:
    """Return a test for objects in which all paths exist, and members have these values.

    A list passes if one of its objects does.

    Example:
        >>> having("author.role", "parts", kind="x")({"author": {"role": None}, "parts": [], "kind": "x"})
        True
    """

    def is_one(item: Any) -> bool:
        if isinstance(item, list):
            return any(map(is_one, item))  # pyright: ignore[reportUnknownArgumentType]
        if not isinstance(item, Mapping):
            return False
        there = all(pick(item, path, _MISSING) is not _MISSING for path in paths)
        return there and all(pick(item, name, _MISSING) == value for name, value in values.items())

    return is_one


_MISSING = object()
