"""Reads a message place by place (headers, address, fields, JSON members) and tells which of its texts are secrets."""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import pairwise
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit

from memzoo.cassettes.http import header_values, is_array, is_object
from memzoo.cassettes.secrets import looks_random, names_secret

__all__ = ["Change", "Found", "fields", "in_json", "in_parts", "json_in", "outside_the_body", "texts"]

_PART = re.compile(r'name="([^"\r\n]{1,80})"[^\r\n]{0,300}\r\n(?:[^\r\n]{1,300}\r\n){0,9}\r\n([^\r\n]*)')
# Also within texts: the address of an image in a prompt may be signed.
_PARAMETER = re.compile(r"[?&]([\w.\[\]-]{1,80})=([^&\s\"'<>#\\]+)")
_PUNCTUATION = ".,;:!?)]}"
_IN_AUTHORIZATION = re.compile(r"(\w{1,40})=\"?([^\",\s]+)")
_COOKIES = re.compile(r",\s*(?=[^;,=\s]+=)")
_BOT = re.compile(r"bot(?=.*\d)[\w:~./+=-]{20,}")
_HOOKS = frozenset({"hooks", "webhooks", "services"})
_LOCAL = re.compile(r"(?:[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|file:)")
_MODEL_FILES = (".gguf", ".ggml", ".safetensors", ".onnx", ".bin")


class Found(Enum):
    """What a text is, by its name and its looks."""

    TEXT = 0
    SECRET = 1
    LOCAL_MODEL = 2
    """A model that is named by a path of the machine that it runs on, as llama.cpp does."""


Change: TypeAlias = Callable[[str, Found], str]
"""Is told each text and what it is, and returns what is to stand there."""


def texts(value: Any, change: Change, name: str = "") -> Any:
    """Change the texts of a JSON value, also those of JSON that is itself a text, such as a tool call's arguments.

    `name` is that of the member that the value is.
    """
    if isinstance(value, str):
        found, inside = _classify(name, value), in_json(value, change)
        return change(value if found is Found.SECRET else inside, found)
    if is_array(value):
        return [texts(item, change, one) for item, one in zip(value, _names(value, name), strict=True)]
    if not is_object(value):
        return value
    named = _name_pair(value)
    # What lies in an object of credentials is secret, whatever its own name; but a schema only describes.
    inherits = names_secret(name, surely=True) and "type" not in value
    called = {key: named.get(key, name if inherits else key) for key in value}
    return {change(key, Found.TEXT): texts(child, change, called[key]) for key, child in value.items()}


def _name_pair(value: dict[str, Any]) -> dict[str, str]:
    """Of `{"name": "x-api-key", "value": ...}`, say what the value is called."""
    small = {key.lower(): key for key in value}
    name = next((value[small[key]] for key in ("name", "key", "header") if key in small), None)
    is_pair = "value" in small and isinstance(name, str) and names_secret(name, surely=True)
    return {small["value"]: str(name)} if is_pair else {}


def _names(items: list[Any], name: str) -> list[str]:
    """Say what the items of a list are called: of `["x-api-key", ...]`, the second."""
    # A tokenizer's tokens are words: only what looks random is hidden among them.
    one = name[:-1] if name.lower().endswith("tokens") else name
    match items:
        case [str(first), str(second)] if names_secret(first, surely=True) and looks_random(second.rsplit(" ")[-1]):
            return [one, first]
        case _:
            return [one] * len(items)


def in_json(text: str, change: Change) -> str:
    """Change the texts of JSON; where nothing changes, or in what is no JSON, it stays byte for byte as it came.

    What is nested too deeply to be gone through is one text.
    """
    value = json_in(text)
    try:
        changed = texts(value, change)
    except RecursionError:
        return change(text, Found.TEXT)
    return text if changed == value else json.dumps(changed)


def fields(found: Iterable[tuple[str, str]], change: Change) -> list[tuple[str, str]]:
    """Change the names and values of the fields of a form, or of an address's query."""
    return [(change(name, Found.TEXT), change(value, _field(name))) for name, value in found]


def in_parts(text: str, change: Change) -> str:
    """Change the first lines of the parts of a multipart form."""
    return _PART.sub(lambda part: part[0].removesuffix(part[2]) + change(part[2], _field(part[1])), text)


def outside_the_body(uri: str, headers: Mapping[str, Any], body: str) -> Iterator[str]:
    """List the secrets in an address, in headers, and in the addresses that a body mentions."""
    yield from _in_address(uri)
    for name, several in headers.items():
        for value in header_values(several):
            yield from _in_header(name.lower(), value)
    yield from (
        unquote_plus(value.rstrip(_PUNCTUATION)) for name, value in _PARAMETER.findall(body) if names_secret(name)
    )


def json_in(text: str) -> Any:
    """Read a JSON object or list; `None` if the text is none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _classify(name: str, value: str) -> Found:
    if value and (names_secret(name, surely=True) or (names_secret(name) and looks_random(value))):
        return Found.SECRET
    local = _LOCAL.match(value) and (name == "model" or value.lower().endswith(_MODEL_FILES))
    return Found.LOCAL_MODEL if local else Found.TEXT


def _field(name: str) -> Found:
    return Found.SECRET if names_secret(name) else Found.TEXT


def _in_header(name: str, value: str) -> Iterator[str]:
    if name == "location":
        yield from _in_address(value)
    elif name in {"cookie", "set-cookie"}:
        # Behind the first of a new cookie is how long it lasts, and for whom.
        cookies = value.split(";") if name == "cookie" else [one.split(";")[0] for one in _COOKIES.split(value)]
        for cookie in cookies:
            said = cookie.partition("=")[2].strip().strip('"')
            yield from (said, unquote(said))
    elif names_secret(name):
        # Of "Bearer sk-...", the key.
        yield from (value, value.rsplit(" ", maxsplit=1)[-1])
        yield from _password(value)
        # Of "AWS4-HMAC-SHA256 Credential=..., Signature=...", the signature.
        yield from (part for key, part in _IN_AUTHORIZATION.findall(value) if names_secret(key) or key == "response")


def _password(authorization: str) -> Iterator[str]:
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "basic":
        try:
            yield base64.b64decode(value).decode().partition(":")[2]
        except ValueError:
            return


def _in_address(uri: str) -> Iterator[str]:
    url = urlsplit(uri)
    yield unquote(url.password or "")
    yield from (value for name, value in parse_qsl(url.query) if names_secret(name))
    for before, segment in pairwise(map(unquote, url.path.split("/"))):
        if _BOT.fullmatch(segment):
            yield segment.removeprefix("bot")
        # "/token/<token>", the parts of a webhook.
        elif looks_random(segment) and (
            names_secret(before.rstrip("s")) or before in {"hooks", "webhooks", "services"}
        ):
            yield segment
