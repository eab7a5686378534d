"""Reads the options after a file's name, as in `chats.zip:last=5`. They choose conversations and speakers."""

import os
import re
from pathlib import Path

from memzoo.errors import OptionError
from memzoo.hosts.exports.chat_log import date_of
from memzoo.hosts.exports.reading import Choice
from memzoo.text import did_you_mean

FILE_OPTIONS = ("title", "since", "last", "user", "assistant", "branches")
"""The options of a file."""

HELP = (
    "Options of a file follow its name, as in chats.zip:title=garden,last=5: title, since and last choose "
    "conversations, user and assistant their speakers, and branches=all reads every branch."
)
"""The part of a command's help that explains the options."""

_NAMES = "|".join(FILE_OPTIONS)
_GIVEN = re.compile(rf"(.+?):((?:{_NAMES})=.*)", re.DOTALL)
_LIKE_GIVEN = re.compile(r".+:\s*([A-Za-z]+)=.*", re.DOTALL)


def split_choice(source: str) -> tuple[str, Choice]:
    """Return a file's name without the options after it, and the options as a `Choice`.

    Raises:
        OptionError: An option is unknown, or has a value that is not allowed.

    Example:
        >>> split_choice("chats.zip:title=Lunch, again,last=5")
        ('chats.zip', Choice(user='', assistant='', all_branches=False, title='Lunch, again', since=None, last=5))
    """
    found = _GIVEN.fullmatch(source)
    if os.path.exists(source):  # noqa: PTH110 - takes names of any length
        return source, Choice()
    if not found:
        if "://" not in source and (wrong := _LIKE_GIVEN.fullmatch(Path(source).name)):
            known = f"{', '.join(FILE_OPTIONS)}{did_you_mean(wrong[1], FILE_OPTIONS)}"
            raise OptionError(f"{wrong[1]!r} is not an option of a file; the options are {known}")
        return source, Choice()
    # A comma may also be part of a value, such as a title.
    parts = [part.partition("=") for part in re.split(rf",\s*(?=(?:{_NAMES})=)", found[2])]
    given = {name: value for name, _, value in parts}
    if len(given) < len(parts) or not all(given.values()):
        raise OptionError(f"each option of a file must be given once, with a value, not {found[2]!r}")
    since, last = given.get("since", ""), given.get("last")
    branches = given.get("branches", "shown")
    if branches not in ("shown", "all"):
        raise OptionError(f"branches must be 'shown' or 'all', not {branches!r}")
    if since and date_of(since) is None:
        raise OptionError(f"since must be a date such as 2026-03-02, not {since!r}")
    if last is not None and not re.fullmatch(r"\d{1,9}", last, re.ASCII):
        raise OptionError(f"last must be a whole number from 0, not {last!r}")
    return found[1], Choice(
        given.get("user", ""),
        given.get("assistant", ""),
        branches == "all",
        given.get("title", ""),
        date_of(since),
        None if last is None else int(last),
    )
