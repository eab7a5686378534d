"""Validates values from files. Errors name the file, the place in it, and the expected value."""

import reprlib
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationError, model_validator
from pydantic_core import ErrorDetails

from memzoo.errors import TransferError
from memzoo.memories.text.messages import checked
from memzoo.stores import Message

_TEXT = "a text that is not empty"
_EXPECTED = {"string_type": _TEXT, "string_pattern_mismatch": _TEXT, "list_type": "a list"}


class Item(BaseModel):
    """A JSON object in a file. Unknown keys are ignored.

    Attributes:
        EXPECTED: A description of the object, for error messages.
    """

    model_config = ConfigDict(strict=True)
    EXPECTED: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _check_object(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError(f"expected {cls.EXPECTED}, not {show_value(value)}")  # noqa: TRY004 - pydantic's protocol
        return value  # pyright: ignore[reportUnknownVariableType]


AnyItem = TypeVar("AnyItem", bound=Item)


def validate(model: type[AnyItem], value: Any, where: str) -> AnyItem:
    """Return a JSON value from a file as an object of the class `model`, after validation.

    `where` is the file with the line or index, for the error message.

    Raises:
        TransferError: The value does not fit the class.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise TransferError(f"{_place(first['loc'], where)}: {_reason(first)}") from error


def show_value(value: Any) -> str:
    """Return a value as text for error messages, cut to a readable length."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = 80
    return short.repr(value)


def _place(loc: tuple[int | str, ...], where: str) -> str:
    # ("sessions", 0, "date") becomes "session 0, 'date'".
    for part, following in pairwise((*loc, "")):
        if isinstance(part, str):
            where += f", {part.removesuffix('s')}" if isinstance(following, int) else f", {part!r}"
        else:
            where += f" {part}"
    return where


def _reason(error: ErrorDetails) -> str:
    if error["type"] == "value_error":
        return str(error.get("ctx", {})["error"])
    if error["type"] == "missing":
        return f"expected {_TEXT}; it is missing (there are: {', '.join(map(show_value, error['input'])) or 'no keys'})"
    if error["type"] == "extra_forbidden":
        return "there is no such key"
    return f"expected {_EXPECTED[error['type']]}, not {show_value(error['input'])}"


def _date(value: Any) -> datetime:
    try:
        date = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected a date such as '2026-03-02T09:15:00+00:00', not {show_value(value)}") from error
    return date if date.tzinfo else date.replace(tzinfo=UTC)


Text = Annotated[str, Field(pattern=r"\S")]
"""A text that is not empty."""

Date = Annotated[datetime, BeforeValidator(_date)]
"""An ISO 8601 date, in UTC if the text has no time zone."""

ChatMessage = Annotated[Message, PlainValidator(checked)]
"""An OpenAI chat message."""
