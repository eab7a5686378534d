"""Finds secrets in the parts of a message: headers, URL, fields, JSON members."""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit

from memzoo.cassettes.http import header_values, is_array, is_object
from memzoo.cassettes.secrets import looks_random, names_secret

_PART = re.compile(r'name="([^"\r\n]{1,80})"[^\r\n]{0,300}\r\n(?:[^\r\n]{1,300}\r\n){0,9}\r\n([^\r\n]*)')
# Matched within texts, too, because the URL of an image in a prompt may be signed.
_PARAMETER = re.compile(r"[?&]([\w.\[\]-]{1,80})=([^&\s\"'<>#\\]+)")
_PUNCTUATION = ".,;:!?)]}"
_IN_AUTHORIZATION = re.compile(r"(\w{1,40})=\"?([^\",\s]+)")
_COOKIES = re.compile(r",\s*(?=[^;,=\s]+=)")
_BOT = re.compile(r"bot(?=.*\d)[\w:~./+=-]{20,}")
_HOOKS = frozenset({"hooks", "webhooks", "services"})
# Members of a request with words of people, tools and models. These words contain no key of the program.
_WORDS = frozenset(
    "messages contents content input inputs prompt system instructions message chat_history thread additional_messages"
    " tool_outputs tool_results documents text".split()
)
_LOCAL = re.compile(r"(?:[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|file:)")
_MODEL_FILES = (".gguf", ".ggml", ".safetensors", ".onnx", ".bin")


class Found(Enum):
    """The kind of a text in a request or response, which decides how secrets in the text are hidden."""

    TEXT = 0
    KEY = 1
    """A key of the program."""
    TOLD = 2
    """Words of a person, tool or model under the name of a secret."""
    LOCAL_MODEL = 3
    """A model named by a file path on the server, as in llama.cpp."""


Change: TypeAlias = Callable[[str, Found], str]
"""A function that takes a text and its kind, and returns the replacement."""


def texts(value: Any, change: Change, name: str = "", *, words: bool = False) -> Any:
    """Return a JSON value in which the function `change` has replaced each text.

    Args:
        value: The JSON value. If a text is JSON itself, such as a call's arguments, the texts inside it are replaced.
        change: A function that takes a text and its kind, and returns the replacement.
        name: The name of the JSON member with this value. A name such as "password" marks a secret.
        words: True if a person, a tool or a model wrote the value.
    """
    if isinstance(value, str):
        found, inside = _classify(name, value, words=words), in_json(value, change, words=words)
        return change(value if found in {Found.KEY, Found.TOLD} else inside, found)
    if is_array(value):
        named = zip(value, _names(value, name), strict=True)
        return [texts(item, change, one, words=words) for item, one in named]
    if not is_object(value):
        return value
    pair = _name_pair(value)
    # In an object of credentials, all values are secret regardless of their names, except in a schema.
    inherits = names_secret(name, surely=True) and "type" not in value
    called = {key: pair.get(key, name if inherits else key) for key in value}
    reasons = any(str(one).lower().startswith("reasoning") for one in (name, value.get("type")))
    if "signature" in value and not inherits and (reasons or "thinking" in value):
        called["signature"] = ""  # of a model's thoughts, which the program sends back
    return {
        change(key, Found.TEXT): texts(child, change, called[key], words=words or key in _WORDS)
        for key, child in value.items()
    }


def _name_pair(value: dict[str, Any]) -> dict[str, str]:
    """Return `{"value": "x-api-key"}` for an object `{"name": "x-api-key", "value": ...}`; empty for other objects."""
    small = {key.lower(): key for key in value}
    name = next((value[small[key]] for key in ("name", "key", "header") if key in small), None)
    is_pair = "value" in small and isinstance(name, str) and names_secret(name, surely=True)
    return {small["value"]: str(name)} if is_pair else {}


def _names(items: list[Any], name: str) -> list[str]:
    """Return a name for each item of a list.

    In a pair such as `["x-api-key", "..."]`, the first item is the name of the second item.
    """
    # A tokenizer's tokens are words, so only random-looking tokens are hidden.
    one = name[:-1] if name.lower().endswith("tokens") else name
    match items:
        case [str(first), str(second)] if names_secret(first, surely=True) and looks_random(second.rsplit(" ")[-1]):
            return [one, first]
        case _:
            return [one] * len(items)


def in_json(text: str, change: Change, *, words: bool = False) -> str:
    """Return a JSON document, as text, in which the function `change` has replaced each text.

    JSON that is nested too deeply is treated as a single text.
    """
    value = json_in(text)
    try:
        changed = texts(value, change, words=words)
    except RecursionError:
        return change(text, Found.TEXT)
    return text if changed == value else json.dumps(changed)


def fields(found: Iterable[tuple[str, str]], change: Change) -> list[tuple[str, str]]:
    """Return the (name, value) pairs of a form or of a URL's query, with each text replaced by `change`."""
    return [(change(name, Found.TEXT), change(value, _field(name))) for name, value in found]


def in_parts(text: str, change: Change) -> str:
    """Return a multipart form in which the function `change` has replaced the first line of each part."""
    return _PART.sub(lambda part: part[0].removesuffix(part[2]) + change(part[2], _field(part[1])), text)


def outside_the_body(uri: str, headers: Mapping[str, Any]) -> Iterator[str]:
    """Yield the secrets in a URL and in headers."""
    yield from _in_address(uri)
    for name, several in headers.items():
        for value in header_values(several):
            yield from _in_header(name.lower(), value)


def in_parameters(text: str) -> Iterator[str]:
    """Yield the secrets in the parameters of all URLs in a text."""
    yield from (
        unquote_plus(value.rstrip(_PUNCTUATION)) for name, value in _PARAMETER.findall(text) if names_secret(name)
    )


def json_in(text: str) -> Any:
    """Parse a text that is a JSON object or list; return `None` for any other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_local_model(name: str, value: str) -> bool:
    """Return whether a JSON member names a model by a file path on the server."""
    return _LOCAL.match(value) is not None and (name == "model" or value.lower().endswith(_MODEL_FILES))


def _classify(name: str, value: str, *, words: bool) -> Found:
    if value and (names_secret(name, surely=True) or (names_secret(name) and looks_random(value))):
        return Found.TOLD if words else Found.KEY
    return Found.LOCAL_MODEL if not words and is_local_model(name, value) else Found.TEXT


def _field(name: str) -> Found:
    return Found.KEY if names_secret(name) else Found.TEXT


def _in_header(name: str, value: str) -> Iterator[str]:
    if name == "location":
        yield from _in_address(value)
    elif name in {"cookie", "set-cookie"}:
        # The first part of a new cookie is the secret; the other parts are its lifetime and scope.
        cookies = value.split(";") if name == "cookie" else [one.split(";")[0] for one in _COOKIES.split(value)]
        for cookie in cookies:
            said = cookie.partition("=")[2].strip().strip('"')
            yield from (said, unquote(said))
    elif names_secret(name):
        # The key in "Bearer sk-...".
        yield from (value, value.rsplit(" ", maxsplit=1)[-1])
        yield from _password(value)
        # The signature in "AWS4-HMAC-SHA256 Credential=..., Signature=...".
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
    before, hooked = "", False
    for segment in map(unquote, url.path.split("/")):
        if _BOT.fullmatch(segment):
            yield segment.removeprefix("bot")
        # The token in "/token/<token>", and the parts of a webhook.
        elif looks_random(segment) and (hooked or names_secret(before.rstrip("s"))):
            yield segment
        before, hooked = segment, hooked or segment in _HOOKS
