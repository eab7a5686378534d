"""Splits a PostgreSQL URL into a URL for the driver, options for the pool, and a name for errors."""

import re
from typing import Any

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from memzoo.errors import OptionError
from memzoo.stores.common import read_number

_PATIENCE = "-c lock_timeout="
_DAY = 86_400
_OPTIONS = {"pool_size": "10", "timeout": "30"}
# Options of psycopg that are unknown to libpq and are not strings.
_OBJECTS = {"autocommit", "context", "cursor_factory", "row_factory"}
_WRITTEN = "a PostgreSQL URL is written postgresql://user:password@host:5432/database"


def parse_url(url: str) -> tuple[str, URL, dict[str, Any]]:
    """Split a URL into three things: a name without secrets, the URL for the driver, and the pool's options."""
    if url.count("@") > 1:  # part of a password might be mistaken for the host and shown
        raise OptionError(f"{_WRITTEN}; an @ in the password is written %40")
    try:
        parts = make_url(url)
    except (ArgumentError, ValueError):
        raise OptionError(_WRITTEN) from None
    if parts.get_backend_name() not in ("postgresql", "postgres"):  # an index is given a URL as it is
        raise OptionError(f"{_WRITTEN}, not {parts.drivername}://")
    query = parts.query
    if unknown := sorted(_OBJECTS & query.keys()):
        raise OptionError(f"{unknown[0]!r} cannot be set in a URL; known are {', '.join(_OPTIONS)}, prepare_threshold")
    size, seconds = (read_number(name, query.get(name, default), 1, _DAY) for name, default in _OPTIONS.items())
    # Names of prepared statements belong to the server's connection. A pooler passes the connection on to another
    # client, and that client uses the same name for another statement: the client's read would then run our DELETE.
    given = query.get("prepare_threshold")
    threshold = None if given is None else read_number("prepare_threshold", given, 0, _DAY)
    wait = read_number("connect_timeout", query.get("connect_timeout", seconds), 1, _DAY)
    host = parts.host or str(query.get("host", "localhost"))
    name = URL.create("postgresql", host=host, port=parts.port, database=parts.database).render_as_string()
    limits = f"{_PATIENCE}{1000 * seconds} {query.get('options', '')}".strip()
    # One second more than the server's time-out for locks, because the server's error is more precise.
    arguments = {"connect_timeout": wait, "options": limits, "prepare_threshold": threshold, "patience": seconds + 1}
    options: dict[str, Any] = {
        "connect_args": arguments,
        "pool_size": size,
        "max_overflow": 0,
        "pool_timeout": seconds,
        "isolation_level": "AUTOCOMMIT",
        "hide_parameters": True,
    }
    libpq = parts.set(drivername="postgresql+psycopg").difference_update_query([*_OPTIONS, *arguments])
    return name, libpq, options


def is_own(options: str | None) -> bool:
    """Tell whether libpq's `options` only set memzoo's lock timeout, and contain nothing from the user's URL."""
    return options is not None and re.fullmatch(rf"{_PATIENCE}\d+", options) is not None


def without_secrets(url: str) -> str:
    """Return a URL without its secrets. The result opens the same database if the password comes from elsewhere."""
    # Build a new URL: SQLAlchemy replaces a hidden password by stars, and a server would take these for the password.
    parts = make_url(url)
    secrets = [name for name in parts.query if "password" in name]
    bare = URL.create(
        "postgresql", parts.username, host=parts.host, port=parts.port, database=parts.database, query=parts.query
    )
    return bare.difference_update_query(secrets).render_as_string()
