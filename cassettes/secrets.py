"""Recognises secrets by their names and forms, and hides them."""

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from memzoo.forks import new_lock

PLACEHOLDER = "SCRUBBED"

# Short values and plain words such as "EMPTY", "ollama" or "postgres" are no secrets, and a prompt may contain them.
_SHORTEST = 8
_LONGEST_WORD = 20

# The number and length of texts without secrets to cache.
_MOST_NOTED, _LONGEST_NOTED = 4096, 2000


def _start(begin: str, rest: str) -> str:
    """Return a pattern for the beginning of a key, not within base64, but perhaps after an escaped line break."""
    # The beginning comes first, because the search for a fixed beginning is much faster.
    begin = re.escape(begin)
    return rf"{begin}(?:(?<![\w-]{begin})|(?<=\\[nrt]{begin})){rest}"


_RANDOM = r"(?=[A-Za-z]*\d|[A-Za-z]{16})[A-Za-z0-9]{8,}"
_LONG = r"(?=[\w-]{0,200}(?:\d|[a-z][A-Z]))[\w-]{16,}"

# The beginnings of well-known services' keys; a long random part follows.
_BEGINNINGS = (
    "gsk_ hf_ ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ glpat- gldt- glrt- glptt- npm_ pypi- xai- pplx- r8_ lsv2_ nvapi-"
    " tvly- csk- jina_ pcsk_ sk_live_ sk_test_ rk_live_ rk_test_ whsec_ shpat_ shpss_ dop_v1_ dckr_pat_ hvs."
    " figd_ lin_api_ ntn_ sbp_ sb_secret_ ATATT3 PMAK- rubygems_ tskey- e2b_ ya29. AGE-SECRET-KEY- GOCSPX- NRAK- glsa_"
    " pylf_v1_ sntrys_ tgp_v1_ HRKU-"
).split()

# Other kinds of keys: the beginning, and a pattern for the whole, or with a group for the key in it. Some English words
# begin like a key ("org-chart"), so such patterns require a digit.
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
# The same patterns by a character of the beginning: a text without this character has no such key.
_BY_SIGN = {
    sign: [
        (begin, re.compile(pattern, re.ASCII))
        for begin, pattern in _KINDS.items()
        if next((one for one in "_-." if one in begin), "") == sign
    ]
    for sign in ("_", "-", ".", "")
}

# Secrets recognised by the surrounding text: the password in a URL, and a value assigned to a name.
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}+://[^\s/:@\"'<>]{0,200}+:([^\s/\"'<>\\]{1,200})@"
)
# Begins at the sign between name and value: texts have few such signs, mostly without a value.
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

# Endings of names, in lower case and without "-" and "_": for "X-Auth-Token", "openaiApiKey".
_SURE = tuple(
    "accesskey accesstoken accountkey apikey authkey authorization authtoken bearertoken clientkey cookie credential"
    " credentials csrftoken encryptionkey idtoken masterkey passphrase passwd password privatekey pwd refreshtoken"
    " secret secretkey securitytoken sessiontoken sharedkey signingkey subscriptionkey".split()
)
_LIKELY = ("auth", "jwt", "sessionid", "signature", "token")
# A token for the next page of a list opens nothing, and neither does the signature of a model's thoughts. Only whole
# names count, because FB_PAGE_TOKEN is a key.
_HARMLESS = frozenset(
    "pagetoken nextpagetoken nexttoken continuationtoken nextcontinuationtoken thoughtsignature".split()
)
_BARE = frozenset("code hmac key otp pass pw session sid sig".split())

_FILLING = re.compile(r"[^a-z0-9]+")
_LOOKS_RANDOM = re.compile(r"(?=[\w.~+/=-]*[A-Za-z])(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}")


@lru_cache(maxsize=4096)
def names_secret(name: str, *, surely: bool = False) -> bool:
    """Return whether a name says that its value is a secret, as `api_key` does.

    Args:
        name: The name, in any spelling.
        surely: True to accept only names that always mean a secret: `api_key`, but neither `token` nor `code`.
    """
    plain = _FILLING.sub("", name.lower())
    if plain.removesuffix("s").endswith(_SURE):
        return True
    return not surely and (plain in _BARE or (plain.endswith(_LIKELY) and plain not in _HARMLESS))


def looks_random(value: str) -> bool:
    """Return whether a value looks like a key: long, with letters and digits, and without spaces."""
    return _LOOKS_RANDOM.fullmatch(value) is not None


def find_told(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each secret that the text before it announces as a secret.

    Examples are the password in a URL, the text after `Bearer`, and the values in `password: X` and `API_KEY=X`.
    """
    if "Bearer " in text:
        yield from (found.span(1) for found in _BEARER.finditer(text))
    if "://" in text and "@" in text:
        yield from (found.span(1) for found in _ADDRESS.finditer(text))
    for found in _GIVEN.finditer(text):
        # A word such as "optional" is no secret, and neither is a number.
        if (
            any(map(str.isdigit, found[2]))
            and not found[2].isdigit()
            and (name := _NAME.search(text, max(0, found.start() - _LONGEST_NAME), found.start()))
        ):
            start, end = found.start(2), _end(text, found.end(2))
            if text[name.start() - 1 : name.start()] in ("?", "&"):  # the next parameter is not part of the value
                end = start + len(text[start:end].partition("&")[0])
            if _is_given(name[1], text[start:end], quoted=bool(found[1])):
                yield start, end


def _end(text: str, seen: int) -> int:
    """Return the end of a value, from the end of its match, excluding a sentence's final punctuation."""
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
    """Return whether a run of characters in a value mixes letters and digits, unlike runs in names of models."""
    return any(not run.isalpha() and not run.isdigit() for run in _RUN.findall(value))


def secrets_in_environment(further: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return the values of the environment variables that hold secrets, such as `OPENAI_API_KEY`.

    Args:
        further: The names of further variables with secrets.
        environment: The environment to search; by default the environment of the process.
    """
    variables = os.environ if environment is None else environment
    # An environment has no lists with pages, so each of its tokens is a key.
    told = {name for name in variables if names_secret(name) or _FILLING.sub("", name.lower()) in _HARMLESS}
    names = told.union(_ACCOUNTS).difference(_FOLDERS).union(further)
    return frozenset(variables[name] for name in names if name in variables)


class Secret(NamedTuple):
    """A secret in a text.

    Attributes:
        start: The index of the secret's first character.
        end: The index after the secret's last character.
        kind: The kind of secret, for messages.
        put: The replacement for the secret.
    """

    start: int
    end: int
    kind: str
    put: str = PLACEHOLDER


class Keys:
    """Finds and hides secrets in texts: the known secrets, and everything that looks like a key."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._known: dict[str, str] = {}
        # Most texts recur: the names of members, and each request's earlier messages.
        self._clean: set[str] = set()
        self._lock = new_lock()
        self.learn(values)

    def __len__(self) -> int:
        return len(self._known)

    def learn(self, values: Iterable[str]) -> None:
        """Add values to the known secrets. Short values and plain words are ignored."""
        self._add({form: PLACEHOLDER for value in values if can_be_secret(value) for form in _forms(value)})

    def shorten(self, path: str) -> None:
        """From now on, make `hide` replace a file path with its last part."""
        name = re.split(r"[/\\\\]", path.rstrip("/\\"))[-1]
        self._add(dict.fromkeys(_forms(path), name) if name else {})

    def find(self, text: str) -> list[Secret]:
        """Return the secrets in a text, in order and without overlap."""
        found = self._find_known(text)
        # Nearly all texts have no secret, and a search for a key's beginning is much faster than the whole pattern.
        signs = [kinds for sign, kinds in _BY_SIGN.items() if sign in text] if len(text) >= _SHORTEST else []
        for begin, pattern in (kind for kinds in signs for kind in kinds if kind[0] in text):
            found += (
                Secret(*one.span(pattern.groups), f"looks like a key ({begin}...)") for one in pattern.finditer(text)
            )
        return _apart(found)

    def hide(self, text: str) -> str:
        """Return a text with placeholders for all secrets.

        A secret revealed by the words before it (`password: X`) is learnt, and from then on hidden in any text.
        """
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
        """Return a text with placeholders for the known secrets only.

        Call `hide` on the parts of the text first, so that their secrets are known.
        """
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
                # The longest value comes first: if two values begin alike, no part of the longer value may stay.
                both = {**fresh, **self._known}
                self._known = {value: both[value] for value in sorted(both, key=lambda value: (-len(value), value))}
                # The new cache comes last: a running thread may still add texts to the old cache by the old rules.
                self._clean = set()


def replace(text: str, secrets: Iterable[Secret]) -> str:
    """Return a text with its secrets replaced. The secrets must not overlap."""
    parts, last = list[str](), 0
    for one in secrets:
        parts += text[last : one.start], one.put
        last = one.end
    return "".join(parts) + text[last:]


def can_be_secret(value: str) -> bool:
    """Return whether a value is long enough for a secret, and not a plain word."""
    return len(value) >= _SHORTEST and not (value.isalpha() and len(value) < _LONGEST_WORD)


def _apart(found: Iterable[Secret]) -> list[Secret]:
    """Return the secrets, with overlapping secrets joined."""
    apart = list[Secret]()
    for one in sorted(found):
        if apart and one.start < apart[-1].end:
            longer = max(apart[-1], one, key=lambda secret: secret.end - secret.start)
            apart[-1] = longer._replace(start=apart[-1].start, end=max(one.end, apart[-1].end))
        else:
            apart.append(one)
    return apart


def _forms(value: str) -> set[str]:
    """Return the spellings of a value: plain, in a URL, in JSON, in base64 at any offset, in hex."""
    content = value.encode(errors="surrogatepass")
    forms = {value, quote(value, safe="", errors="surrogatepass"), quote(value, errors="surrogatepass")}
    forms |= {json.dumps(value)[1:-1], content.hex(), content.hex().upper()}
    for before in range(3):
        # Only base64 letters determined by the value alone, not letters that also depend on neighbouring text.
        start, end = -(-8 * before // 6), 8 * (before + len(content)) // 6
        coded = base64.b64encode(bytes(before) + content)[start:end].decode()
        forms |= {coded, coded.translate(_URL_SAFE)}
    return forms
