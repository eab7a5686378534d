"""Knows secrets, by their names and by how they look, and hides them."""

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from memzoo.forks import new_lock

__all__ = [
    "PLACEHOLDER",
    "Keys",
    "Secret",
    "can_be_secret",
    "find_told",
    "looks_random",
    "names_secret",
    "replace",
    "secrets_in_environment",
]

PLACEHOLDER = "SCRUBBED"

# "EMPTY", "ollama" or the password "postgres" hide nothing, and a prompt may well contain them.
_SHORTEST = 8
_LONGEST_WORD = 20

# Texts that are known to be clean: how many are kept, and of what length.
_MOST_NOTED, _LONGEST_NOTED = 4096, 2000


def _start(begin: str, rest: str) -> str:
    """Make a pattern for what begins so: not in the midst of base64, but behind a line break written as an escape."""
    # The beginning comes first, since that is searched for much faster than what stands before it.
    begin = re.escape(begin)
    return rf"{begin}(?:(?<![\w-]{begin})|(?<=\\[nrt]{begin})){rest}"


_RANDOM = r"(?=[A-Za-z]*\d|[A-Za-z]{16})[A-Za-z0-9]{8,}"
_LONG = r"(?=[\w-]{0,200}(?:\d|[a-z][A-Z]))[\w-]{16,}"

# How the keys of well-known services begin; a long random part follows.
_BEGINNINGS = (
    "gsk_ hf_ ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ glpat- gldt- glrt- glptt- npm_ pypi- xai- pplx- r8_ lsv2_ nvapi-"
    " tvly- csk- jina_ pcsk_ sk_live_ sk_test_ rk_live_ rk_test_ whsec_ shpat_ shpss_ dop_v1_ dckr_pat_ hvs."
    " figd_ lin_api_ ntn_ sbp_ sb_secret_ ATATT3 PMAK- rubygems_ tskey- e2b_ ya29. AGE-SECRET-KEY- GOCSPX- NRAK- glsa_"
    " pylf_v1_ sntrys_ tgp_v1_ HRKU-"
).split()

# Each other kind of key: how it begins, and a pattern for all of it, or with a group for the key in it. Some English
# words begin like a key ("org-chart"), so such patterns ask for a digit.
_KINDS = {begin: _start(begin, _LONG) for begin in _BEGINNINGS} | {
    "sk-": _start("sk-", r"(?=[\w-]{0,200}\d)[\w-]{8,}"),
    "sk_": _start("sk_", r"[0-9a-f]{32,}"),
    "SK": _start("SK", r"[0-9a-f]{32}(?!\w)"),
    "key-": _start("key-", r"[0-9a-f]{32}(?!\w)"),
    "pa-": _start("pa-", r"(?=[\w-]{0,200}\d)(?=[\w-]{0,200}[A-Z])[\w-]{30,}"),
    "org-": _start("org-", _RANDOM),
    "proj_": _start("proj_", _RANDOM),
    "xox": _start("xox", r"[abeoprs]-[\w-]{8,}"),
    "xapp-": _start("xapp-", r"[\w-]{8,}"),
    "hooks.slack": r"hooks\.slack(?:-gov)?\.com\\?/[a-z]{1,20}\\?/([\w/\\-]{16,})",
    "/webhooks/": r"/api/webhooks/(\d+/[\w-]{16,})",
    "AIza": _start("AIza", r"[\w-]{30,}"),
    "AKIA": _start("AKIA", r"[0-9A-Z]{16}"),
    "ASIA": _start("ASIA", r"[0-9A-Z]{16}"),
    "dapi": _start("dapi", r"[0-9a-f]{32}(?:-\d)?"),
    "SG.": _start("SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    ":AA": r"(?<![\w-])\d{8,10}:AA[\w-]{30,}",
    "eyJ": _start("eyJ", r"[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+"),
    "__cf_bm=": r"__cf_bm=[^;\s\"]+",
    "PRIVATE KEY": r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[^\"]*?"
    r"(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?=\")|\Z)",
}
# The same by a sign that stands in the beginning: a text without the sign has none of them.
_BY_SIGN = {
    sign: [
        (begin, re.compile(pattern, re.ASCII))
        for begin, pattern in _KINDS.items()
        if next((one for one in "_-." if one in begin), "") == sign
    ]
    for sign in ("_", "-", ".", "")
}

# What the words around it tell: the password of an address, and what a text gives to a name.
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}+://[^\s/:@\"'<>]{0,200}+:([^\s/\"'<>\\]{1,200})@"
)
# From the sign between name and value on: texts have few of these, and behind most there is no value.
_GIVEN = re.compile(
    r"(?::=|=>|[=:])(?!//)(?=[ \t]{0,3}(?:(?:Bearer|Basic|Token)[ \t]+)?(\\?[\"'])?"
    r"([^\s\"'`<>,;(){}\[\]\\]{8,300}+)(?![(\[{]))",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\bBearer ((?=[\w.~+/=-]*\d|[\w.~+/=-]{20})[\w.~+/=-]{8,})")
_NAME = re.compile(r"(?<![\w.-])([A-Za-z_][\w.-]{1,64}+)\\?[\"']?[ \t]{0,3}\Z")
_LONGEST_NAME = 72
_REST = re.compile(r"[^\s\"'`<>,;(){}\[\]\\]*")
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_RUN = re.compile(r"[A-Za-z0-9]{12,}")
_ENDINGS = ".,;:!?"
_URL_SAFE = str.maketrans("+/", "-_")

_ACCOUNTS = frozenset({"OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"})
_FOLDERS = frozenset({"PWD", "OLDPWD"})

# A name counts by how it ends, in small letters and without "-" and "_": "X-Auth-Token", "openaiApiKey".
_SURE = tuple(
    "accesskey accesstoken accountkey apikey authkey authorization authtoken bearertoken clientkey cookie credential"
    " credentials csrftoken encryptionkey idtoken masterkey passphrase passwd password privatekey pwd refreshtoken"
    " secret secretkey securitytoken sessiontoken sharedkey signingkey subscriptionkey".split()
)
_LIKELY = ("auth", "jwt", "sessionid", "signature", "token")
_BARE = frozenset("code hmac key otp pass pw session sid sig".split())

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
    return plain.removesuffix("s").endswith(_SURE) or (not surely and (plain in _BARE or plain.endswith(_LIKELY)))


def looks_random(value: str) -> bool:
    """Tell whether a value is long, has letters and digits, and nothing that stands between words."""
    return _LOOKS_RANDOM.fullmatch(value) is not None


def _looks_chosen(value: str) -> bool:
    """Tell whether a value that has a secret's name is one: a word would be a description of it."""
    return len(value) >= _SHORTEST and not value.isalpha() and not value.isdigit() and any(map(str.isdigit, value))


def find_told(text: str) -> Iterator[tuple[int, int]]:
    """Find what the words around it tell for a secret, as (start, end).

    That is the password of an address, what follows `Bearer`, and what is given to a name: `password: X`, `API_KEY=X`,
    `{'secret': 'X'}`, `Authorization: Basic X`.
    """
    if "Bearer " in text:
        yield from (found.span(1) for found in _BEARER.finditer(text))
    if "://" in text and "@" in text:
        yield from (found.span(1) for found in _ADDRESS.finditer(text))
    for found in _GIVEN.finditer(text):
        if _looks_chosen(found[2]) and (
            name := _NAME.search(text, max(0, found.start() - _LONGEST_NAME), found.start())
        ):
            start, end = found.start(2), _end(text, found.end(2))
            if text[name.start() - 1 : name.start()] in ("?", "&"):  # the next parameter is not part of it
                end = start + len(text[start:end].partition("&")[0])
            if _is_given(name[1], text[start:end], quoted=bool(found[1])):
                yield start, end


def _end(text: str, seen: int) -> int:
    """Where a value ends of which so much was seen: not with the sign that ends a sentence."""
    rest = _REST.match(text, seen)
    end = rest.end() if rest else seen
    while text[end - 1] in _ENDINGS:
        end -= 1
    return end


def _is_given(name: str, value: str, *, quoted: bool) -> bool:
    if name in _FOLDERS or "://" in value or (not quoted and _CODE.fullmatch(value)):
        return False
    return names_secret(name, surely=True) or (names_secret(name) and _is_dense(value))


def _is_dense(value: str) -> bool:
    """Tell whether letters and digits stand together in it, as in no name of a model or of a thing."""
    return any(not run.isalpha() and not run.isdigit() for run in _RUN.findall(value))


def secrets_in_environment(further: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """Collect the values of environment variables that hold secrets, such as `OPENAI_API_KEY`.

    Args:
        further: Names of variables that hold secrets although their names do not say so.
        environment: Where to look; the process environment by default.
    """
    variables = os.environ if environment is None else environment
    names = set(filter(names_secret, variables)).union(_ACCOUNTS).difference(_FOLDERS).union(further)
    return frozenset(variables[name] for name in names if name in variables)


class Secret(NamedTuple):
    """A secret in a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        kind: Which kind of secret it is, to be told.
        put: What takes its place.
    """

    start: int
    end: int
    kind: str
    put: str = PLACEHOLDER


class Keys:
    """Finds secrets: known values, and what has the form of a known kind of key."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._known: dict[str, str] = {}
        # Most texts come again and again: names of members, and all that was said before, in each request.
        self._clean: set[str] = set()
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

    def find(self, text: str) -> list[Secret]:
        """Find known values, and what has the form of a key, in order and without overlap."""
        found = self._find_known(text)
        # Nearly all texts hold no secret, and a search for how one begins is much faster than the whole pattern.
        signs = [kinds for sign, kinds in _BY_SIGN.items() if sign in text] if len(text) >= _SHORTEST else []
        for begin, pattern in (kind for kinds in signs for kind in kinds if kind[0] in text):
            found += (
                Secret(*one.span(pattern.groups), f"looks like a key ({begin}...)") for one in pattern.finditer(text)
            )
        return _apart(found)

    def hide(self, text: str) -> str:
        """Put a placeholder in place of each secret, and remember those that only the words around them tell."""
        clean = self._clean
        if text in clean:
            return text
        if told := [Secret(*span, "") for span in find_told(text)]:
            self.learn(text[one.start : one.end] for one in told)
        if found := _apart([*self.find(text), *told]):
            return replace(text, found)
        if len(text) <= _LONGEST_NOTED:
            if len(clean) >= _MOST_NOTED:
                clean.clear()
            clean.add(text)
        return text

    def hide_known(self, text: str) -> str:
        """Likewise, but only those that are known: of a text whose parts were all looked at by themselves."""
        return replace(text, self._find_known(text))

    def _find_known(self, text: str) -> list[Secret]:
        pattern = "|".join(re.escape(value) for value in self._known if value in text)
        return [self._of_known(found) for found in re.finditer(pattern, text)] if pattern else []

    def _of_known(self, found: re.Match[str]) -> Secret:
        put = self._known[found[0]]
        return Secret(*found.span(), "is known as a key" if put == PLACEHOLDER else "is a path on this machine", put)

    def _add(self, fresh: Mapping[str, str]) -> None:
        with self._lock:
            if not fresh.keys() <= self._known.keys():
                # The longest first: where one value begins like another, no part of the longer one may stay.
                both = {**fresh, **self._known}
                self._known = {value: both[value] for value in sorted(both, key=lambda value: (-len(value), value))}
                # A new one, behind that: who is at work notes what was clean before in the old one.
                self._clean = set()


def replace(text: str, secrets: Iterable[Secret]) -> str:
    """Put something else in place of secrets that do not overlap; all else stays to the letter."""
    parts, last = list[str](), 0
    for one in secrets:
        parts += text[last : one.start], one.put
        last = one.end
    return "".join(parts) + text[last:]


def can_be_secret(value: str) -> bool:
    """Tell whether a value is long enough, and no plain word."""
    return len(value) >= _SHORTEST and not (value.isalpha() and len(value) < _LONGEST_WORD)


def _apart(found: Iterable[Secret]) -> list[Secret]:
    """Join those that overlap."""
    apart = list[Secret]()
    for one in sorted(found):
        if apart and one.start < apart[-1].end:
            longer = max(apart[-1], one, key=lambda secret: secret.end - secret.start)
            apart[-1] = longer._replace(start=apart[-1].start, end=max(one.end, apart[-1].end))
        else:
            apart.append(one)
    return apart


def _forms(value: str) -> set[str]:
    """List how a value is written: as it is, in an address, in JSON, in base64 behind anything, in hex."""
    content = value.encode(errors="surrogatepass")
    forms = {value, quote(value, safe="", errors="surrogatepass"), quote(value, errors="surrogatepass")}
    forms |= {json.dumps(value)[1:-1], content.hex(), content.hex().upper()}
    for before in range(3):
        # Letters of base64 that the value alone determines: not those that it shares with its neighbours.
        start, end = -(-8 * before // 6), 8 * (before + len(content)) // 6
        coded = base64.b64encode(bytes(before) + content)[start:end].decode()
        forms |= {coded, coded.translate(_URL_SAFE)}
    return forms
