"""The time, as a function that tests replace."""

from datetime import UTC, datetime

__all__ = ["utc_now"]


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)
