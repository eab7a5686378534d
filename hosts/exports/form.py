"""Defines `Form`, which tells how to recognise and read one kind of file."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memzoo.hosts.exports.chat_log import ChatLog, Unread
from memzoo.hosts.exports.members import pick

Reader: TypeAlias = Callable[[Any, str], Iterable[ChatLog | Unread]]
"""A function of a document, and of the title for a conversation without its own, that yields conversations."""

Document: TypeAlias = Literal["object", "list", "list or object", "text", "table", "folder", "database"]
"""The unit of a form: see `Form.document`."""


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of file with conversations, such as an application's export.

    Attributes:
        name: The application's name; if it has several formats, also the format, as in "Open WebUI, text".
        document: The kind of content that `recognise` and `read` get.

            - "object": a JSON object; also each object in a list, and each line of JSON Lines.
            - "list": a whole list of JSON values, or all lines of a JSON Lines file. `recognise` gets only the first
              10 values or 20 lines.
            - "list or object": a list or a single object.
            - "text": a whole text. `recognise` gets only the first 4,000 characters.
            - "table": CSV. `recognise` gets the names of the columns in lower case. `read` gets an iterator over the
              rows, each a dict whose keys are these names.
            - "folder": a folder, also in a ZIP. `recognise` gets the names in the folder, `read` gets the folder as a
              `pathlib.Path` or `zipfile.Path`.
            - "database": an SQLite file; `read` gets its path.
        recognise: A function that tells whether a document has the form.
        read: The reader; or advice, such as "export as JSON instead", for a form that cannot be read.
        known: A text for the user: the versions or dates of the exports with this form, and their peculiarities.
        get: Instructions for getting the export.
        beside: The names of the export's other files; `*` stands for any text. These files are ignored in a folder that
            has a document of this form.
        items: The name of a long list in an object. If given, `read` is called once for each item of the list, with
            an object in which the list has only this item.
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
    """Return a function that tells whether an object has all given members.

    The object must have a member at each path in `paths`; the member may be null. It must also have the members in
    `values`, with the same values. If the function gets a list, one such object in the list is enough.

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
