"""The names that tell of a secret: one list for headers, addresses, forms, JSON and environment variables."""

import re
from enum import Enum
from functools import lru_cache

__all__ = ["Telling", "looks_random", "telling"]

# A name counts by how it ends, in small letters and without "-" and "_": "X-Auth-Token", "openaiApiKey".
_SURE = tuple(
    "accesskey accesstoken accountkey apikey authkey authorization authtoken bearertoken clientkey cookie credential"
    " credentials csrftoken encryptionkey idtoken masterkey passphrase passwd password privatekey pwd refreshtoken"
    " secret secretkey securitytoken sessiontoken sharedkey signingkey subscriptionkey".split()
)
_LIKELY = ("jwt", "sessionid", "signature", "token")
_BARE = frozenset({"auth", "code", "key", "session", "sid", "sig"})

_FILLING = re.compile(r"[^a-z0-9]+")
_RANDOM = re.compile(r"(?=[\w.~+/=-]*[A-Za-z])(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}")


class Telling(Enum):
    """How much a name tells of its value."""

    NOTHING = 0
    LIKELY = 1
    SURE = 2


@lru_cache(maxsize=4096)
def telling(name: str) -> Telling:
    """Tell whether what has this name is a secret.

    `LIKELY` are names that have other uses in JSON: a `token` of `logprobs`, the `code` of an error.
    """
    plain = _FILLING.sub("", name.lower())
    if plain.endswith(_SURE):
        return Telling.SURE
    return Telling.LIKELY if plain in _BARE or plain.endswith(_LIKELY) else Telling.NOTHING


def looks_random(value: str) -> bool:
    """Tell whether a value is long, has letters and digits, and nothing that stands between words."""
    return _RANDOM.fullmatch(value) is not None
