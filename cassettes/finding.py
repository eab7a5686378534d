"""Finds the secrets of a message by the names that they have, wherever in it they stand."""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from http.cookies import CookieError, SimpleCookie
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit

from memzoo.cassettes.http import content_type, header_values, is_array, is_json, is_object, is_stream
from memzoo.cassettes.secrets import Telling, looks_random, telling
from memzoo.cassettes.streams import events, joined

__all__ = ["PART", "is_form", "is_secret", "local_models", "named", "nested", "path_secret", "secrets_of"]

PART = re.compile(r'name="([^"\r\n]{1,80})"[^\r\n]{0,300}\r\n(?:[^\r\n]{1,300}\r\n){0,9}\r\n([^\r\n]*)')
"""A part of a multipart form: its name, and the first line of its content."""

# Also within texts: the address of an image in a prompt may be signed.
_PARAMETER = re.compile(r"[?&]([\w.\[\]-]{1,80})=([^&\s\"'<>#\\]+)")
_PUNCTUATION = ".,;:!?)]}"
_BOT = re.compile(r"bot(?=.*\d)[\w:~./+=-]{20,}")
_LOCAL = re.compile(r"(?:[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|file:)")
_MODEL_FILES = (".gguf", ".ggml", ".safetensors", ".onnx", ".bin")


def secrets_of(uri: str, headers: Mapping[str, Any], body: str) -> Iterator[str]:
    """List the values in a request or response that have a secret's name.

    Args:
        uri: Its address; empty for a response.
        headers: Its headers, also those that are not kept.
        body: Its body, as text.
    """
    yield from _in_headers(headers)
    yield from _in_address(uri)
    yield from (unquote_plus(value.rstrip(_PUNCTUATION)) for name, value in _PARAMETER.findall(body) if _tells(name))
    kind = content_type(headers)
    if is_form(kind):
        yield from (value for name, value in parse_qsl(body) if _tells(name))
    elif "multipart/" in kind:
        yield from (value for name, value in PART.findall(body) if _tells(name))
    else:
        yield from (child for name, child in _members(body, kind) if is_secret(name, child))


def local_models(body: str, kind: str) -> Iterator[str]:
    """List the models that are named by a path of the machine that they run on, as llama.cpp does."""
    for name, value in _members(body, kind):
        if _LOCAL.match(value) and (name == "model" or value.lower().endswith(_MODEL_FILES)):
            yield value


def is_secret(name: str, value: str) -> bool:
    """Tell whether a member of a JSON object is a secret."""
    told = telling(name)
    return bool(value) and (told is Telling.SURE or (told is Telling.LIKELY and looks_random(value)))


def is_form(kind: str) -> bool:
    """Tell whether a content type is that of a form."""
    return kind.startswith("application/x-www-form-urlencoded")


def path_secret(before: str, segment: str) -> bool:
    """Tell whether a part of a path is a secret: `/bot<token>`, `/token/<token>`, the parts of a webhook."""
    if _BOT.fullmatch(segment):
        return True
    return looks_random(segment) and (_tells(before.rstrip("s")) or before in {"hooks", "webhooks", "services"})


def named(name: str, value: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """List the members of an object that is itself a member: key, value, and the name that tells what the value is."""
    # What lies in an object of credentials is secret, whatever its own name; but a schema only describes.
    inherits = telling(name) is Telling.SURE and "type" not in value
    return ((key, child, name if inherits else key) for key, child in value.items())


def nested(text: str) -> Any:
    """Read JSON that is the text of a JSON string, such as a tool call's arguments; `None` if it is none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _tells(name: str) -> bool:
    return telling(name) is not Telling.NOTHING


def _in_headers(headers: Mapping[str, Any]) -> Iterator[str]:
    for name, several in headers.items():
        for value in header_values(several) if _tells(name) or name.lower() == "location" else ():
            if name.lower() == "location":
                yield from _in_address(value)
            elif name.lower() in {"cookie", "set-cookie"}:
                yield from _in_cookies(value)
            else:
                # Of "Bearer sk-...", the key.
                yield from (value, value.split(" ")[-1])
                yield from _password(value)


def _in_cookies(header: str) -> Iterator[str]:
    try:
        yield from (morsel.value for morsel in SimpleCookie(header).values())
    except CookieError:
        yield header


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
    yield from (value for name, value in parse_qsl(url.query) if _tells(name))
    parts = [unquote(part) for part in url.path.split("/")]
    for before, segment in pairwise(parts):
        if path_secret(before, segment):
            yield segment.removeprefix("bot") if _BOT.fullmatch(segment) else segment


def _members(body: str, kind: str) -> Iterator[tuple[str, str]]:
    if is_stream(kind):
        found = dict(events(body))
        values: Iterable[Any] = [*found.values(), *map(nested, joined(found))]
    elif is_json(kind) or body.lstrip().startswith(("{", "[")):
        values = [nested(body)]
    else:
        return
    for value in values:
        yield from _named_texts(value)


def _named_texts(value: Any) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, str):
            yield name, value
            waiting.append(("", nested(value)))
        elif is_array(value):
            waiting += [(name, child) for child in value]
        elif is_object(value):
            waiting += [(inner, child) for _, child, inner in named(name, value)]
