"""Recognises the error of an endpoint that refuses a request as too long, and finds the context length in the error."""

import re

from memzoo.errors import ModelError

# No model has a smaller context: a smaller number has another meaning.
_SMALLEST_CONTEXT = 512

_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|size|window)"
    r"|(?:prompt|input|request)s?(?: \([^()]{1,40}\))? (?:is |are )?too (?:long|large)"
    r"|too many (?:input |prompt )?tokens|input token count|reduce the length|maximum model length"
    r"|inputs?\W{0,3} (?:tokens|must have less)",
    re.IGNORECASE,
)
# A status such as 400 or 413 is no number of tokens, so the number has to follow or precede one of these words.
_STATED = re.compile(
    r"(?:context[ _-](?:length|size|window)|n_ctx|maximum|exceeds?|less than|length|limit|<=|>)\D{0,40}?(\d{3,8})"
    r"|(\d{3,8}) (?:token )?(?:maximum|context)",
    re.IGNORECASE,
)


def is_too_long(error: ModelError) -> bool:
    """Return whether an endpoint refused a request as too long."""
    return bool(_TOO_LONG.search(_words_of(error)))


def find_context_length(error: ModelError) -> int | None:
    """Return the smallest context length stated in a refusal, in tokens; `None` if the refusal states no length."""
    numbers = (int(number) for match in _STATED.findall(_words_of(error)) for number in match if number)
    return min((number for number in numbers if number >= _SMALLEST_CONTEXT), default=None)


def _words_of(error: ModelError) -> str:
    """Return the text of the error's cause, or else of the error itself; the text may contain the key."""
    return str(error.__cause__ or error)[:2000]
