"""What a secret looks like, and how it is hidden in a text."""

import os
import re
from collections.abc import Iterable, Mapping

__all__ = ["PLACEHOLDER", "Keys", "secrets_in_environment"]

PLACEHOLDER = "SCRUBBED"

# "EMPTY", "ollama" or the password "postgres" hide nothing, and a prompt may well contain them.
_SHORTEST = 8
_LONGEST_WORD = 20

_START = r"(?<![A-Za-z0-9])"
_RANDOM = r"(?=[A-Za-z]*\d|[A-Za-z]{16})[A-Za-z0-9]{8,}"

# How each kind of key begins, and the whole of it. English has words that begin like one ("org-chart"), hence the
# demand for a digit.
_PATTERNS = {
    "sk-": _START + r"sk-[\w-]{8,}",
    "org-": _START + "org-" + _RANDOM,
    "proj_": _START + "proj_" + _RANDOM,
    "Bearer ": r"(?<=Bearer )(?=[\w.~+/=-]*\d|[\w.~+/=-]{20})[\w.~+/=-]{8,}",
    "gsk_": _START + r"gsk_\w{16,}",
    "hf_": _START + r"hf_\w{16,}",
    "ghp_": _START + r"ghp_\w{16,}",
    "gho_": _START + r"gho_\w{16,}",
    "github_pat_": _START + r"github_pat_\w{16,}",
    "xai-": _START + r"xai-[\w-]{16,}",
    "xox": _START + r"xox[abeoprs]-[\w-]{8,}",
    "AIza": _START + r"AIza[\w-]{30,}",
    "AKIA": _START + r"AKIA[0-9A-Z]{16}",
    "eyJ": _START + r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+",
    "__cf_bm=": r"__cf_bm=[^;\s\"]+",
}

_SECRET_VARIABLE = re.compile(
    r"(API_?KEY|ACCESS_KEY|SECRET_KEY|TOKEN|SECRET|PASSWORD)$|^OPENAI_(ORG_ID|PROJECT_ID|ADMIN_KEY)$"
)


def secrets_in_environment(further: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """The values of the environment variables that hold secrets, such as `OPENAI_API_KEY`.

    Args:
        further: Names of variables that hold secrets although their names do not say so.
        environment: Where to look; the process environment by default.
    """
    variables = os.environ if environment is None else environment
    names = {name for name in variables if _SECRET_VARIABLE.search(name)} | set(further)
    return frozenset(variables[name] for name in names if name in variables)


class Keys:
    """Finds and hides secrets: known values, and whatever looks like a key."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: tuple[str, ...] = ()
        self.learn(values)

    def learn(self, values: Iterable[str]) -> None:
        """Take these values for secrets from now on, unless they are too short or mere words."""
        fresh = set(filter(_can_be_secret, values))
        if not fresh.issubset(self._values):
            # The longest first, so that no part of a value is left where one begins like another.
            self._values = tuple(sorted(fresh.union(self._values), key=lambda value: (-len(value), value)))

    def hide(self, text: str) -> str:
        """The text with a placeholder for each secret."""
        pattern = self._pattern(text)
        return pattern.sub(PLACEHOLDER, text) if pattern else text

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the secrets are, as (start, end), in order and without overlap."""
        pattern = self._pattern(text)
        return [found.span() for found in pattern.finditer(text)] if pattern else []

    def _pattern(self, text: str) -> re.Pattern[str] | None:
        # Nearly all texts have no secret: looking for how one begins is much faster than a regular expression.
        known = [re.escape(value) for value in self._values if value in text]
        likely = [pattern for beginning, pattern in _PATTERNS.items() if beginning in text]
        return re.compile("|".join([*known, *likely])) if known or likely else None


def _can_be_secret(value: str) -> bool:
    return len(value) >= _SHORTEST and not (value.isalpha() and len(value) < _LONGEST_WORD)
