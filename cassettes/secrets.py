"""Knows secrets, by their names and by how they look, and hides them."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import quote

from memzoo.stores.forks import new_lock

__all__ = ["PLACEHOLDER", "Keys", "can_be_secret", "looks_random", "names_secret", "secrets_in_environment"]

PLACEHOLDER = "SCRUBBED"

# "EMPTY", "ollama" or the password "postgres" hide nothing, and a prompt may well contain them.
_SHORTEST = 8
_LONGEST_WORD = 20

_START = r"(?<![A-Za-z0-9])"
_RANDOM = r"(?=[A-Za-z]*\d|[A-Za-z]{16})[A-Za-z0-9]{8,}"

# Each kind of key: how it begins, and a pattern for all of it. Some English words begin like a key ("org-chart"), so
# such patterns ask for a digit.
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

_ACCOUNTS = frozenset({"OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"})
_FOLDERS = frozenset({"PWD", "OLDPWD"})

# A name counts by how it ends, in small letters and without "-" and "_": "X-Auth-Token", "openaiApiKey".
_SURE = tuple(
    "accesskey accesstoken accountkey apikey authkey authorization authtoken bearertoken clientkey cookie credential"
    " credentials csrftoken encryptionkey idtoken masterkey passphrase passwd password privatekey pwd refreshtoken"
    " secret secretkey securitytoken sessiontoken sharedkey signingkey subscriptionkey".split()
)
_LIKELY = ("jwt", "sessionid", "signature", "token")
_BARE = frozenset({"auth", "code", "key", "session", "sid", "sig"})

_FILLING = re.compile(r"[^a-z0-9]+")
_LOOKS_RANDOM = re.compile(r"(?=[\w.~+/=-]*[A-Za-z])(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}")


@lru_cache(maxsize=4096)
def names_secret(name: str, *, surely: bool = False) -> bool:
    """Tell whether what has this name is a secret.

    Args:
        name: What it is called, in any spelling.
        surely: Leave out names that have other uses in JSON: a `token` of `logprobs`, the `code` of an error.
    """
    plain = _FILLING.sub("", name.lower())
    return plain.endswith(_SURE) or (not surely and (plain in _BARE or plain.endswith(_LIKELY)))


def looks_random(value: str) -> bool:
    """Tell whether a value is long, has letters and digits, and nothing that stands between words."""
    return _LOOKS_RANDOM.fullmatch(value) is not None


def secrets_in_environment(further: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """Collect the values of environment variables that hold secrets, such as `OPENAI_API_KEY`.

    Args:
        further: Names of variables that hold secrets although their names do not say so.
        environment: Where to look; the process environment by default.
    """
    variables = os.environ if environment is None else environment
    names = set(filter(names_secret, variables)).union(_ACCOUNTS).difference(_FOLDERS).union(further)
    return frozenset(variables[name] for name in names if name in variables)


class Keys:
    """Finds and hides secrets: known values, and whatever looks like a key."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._known: dict[str, str] = {}
        self._lock = new_lock()
        self.learn(values)

    def __len__(self) -> int:
        return len(self._known)

    def learn(self, values: Iterable[str]) -> None:
        """Treat these values as secrets from now on, unless they are too short or plain words."""
        self._add({form: PLACEHOLDER for value in values if can_be_secret(value) for form in _forms(value)})

    def shorten(self, path: str) -> None:
        """Show only the last part of this path from now on."""
        name = re.split(r"[/\\\\]", path.rstrip("/\\"))[-1]
        self._add(dict.fromkeys(_forms(path), name) if name else {})

    def hide(self, text: str) -> str:
        """Put a placeholder in place of each secret."""
        pattern = self._pattern(text)
        return pattern.sub(lambda found: self._known.get(found[0], PLACEHOLDER), text) if pattern else text

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Find the secrets, as (start, end), in order and without overlap."""
        pattern = self._pattern(text)
        return [found.span() for found in pattern.finditer(text)] if pattern else []

    def _add(self, fresh: Mapping[str, str]) -> None:
        with self._lock:
            if not fresh.keys() <= self._known.keys():
                # The longest first: where one value begins like another, no part of the longer one may stay.
                both = {**fresh, **self._known}
                self._known = {value: both[value] for value in sorted(both, key=lambda value: (-len(value), value))}

    def _pattern(self, text: str) -> re.Pattern[str] | None:
        # Nearly all texts hold no secret, and a search for how one begins is much faster than the whole pattern.
        known = [re.escape(value) for value in self._known if value in text]
        likely = [pattern for beginning, pattern in _PATTERNS.items() if beginning in text]
        return re.compile("|".join([*known, *likely])) if known or likely else None


def can_be_secret(value: str) -> bool:
    """Tell whether a value is long enough, and no plain word."""
    return len(value) >= _SHORTEST and not (value.isalpha() and len(value) < _LONGEST_WORD)


def _forms(value: str) -> set[str]:
    """List how a value is written: as it is, in an address, in JSON."""
    return {value, quote(value, safe=""), quote(value), json.dumps(value)[1:-1]}
