"""Writes cassettes in vcrpy's format, for replays by vcrpy and pytest-recording."""

import json
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memzoo.cassettes.errors import replay_extra
from memzoo.cassettes.files import as_text, write_file
from memzoo.cassettes.http import TOOL, Recorded, tool_name
from memzoo.cassettes.scrubbing import ORIGIN
from memzoo.errors import OptionError

OPENAI = "https://api.openai.com"
"""The default scheme and host of the requests in an exported cassette."""

_TITLE = "# Written by memzoo.cassettes for vcrpy; parts without a place in vcrpy's format are left out.\n"


def export_cassette(source: str | PathLike[str], target: str | PathLike[str], *, origin: str = OPENAI) -> None:
    """Write a cassette in vcrpy's format.

    Secrets stay hidden. The arrival of streams (chunks, pauses, errors), the thread or task of a request, and the
    header of the cassette are left out. Calls of tools are under `tools`, which vcrpy ignores.

    Args:
        source: A cassette of this kit or of vcrpy.
        target: The file to write; vcrpy does not read compressed files.
        origin: The scheme, host and port for the written requests; vcrpy compares all three in a replay.

    Raises:
        CassetteError: The source cannot be read.
        CassetteError: The target cannot be written.
        OptionError: The origin is invalid.
        MissingExtraError: PyYAML is not installed.
    """
    with replay_extra():
        from memzoo.cassettes.format import read_cassette
        from memzoo.cassettes.yaml_text import dump
    file = read_cassette(Path(source))
    url = urlsplit(origin)
    if not (url.scheme and url.netloc) or url.path.strip("/") or url.query:
        raise OptionError(f"origin must be a scheme and a host, such as {OPENAI!r}, not {origin!r}")
    # Our format does not distinguish an absent body from an empty body. vcrpy writes '' for httpx, the HTTP library of
    # OpenAI's, Anthropic's and Google's clients.
    no_body = None if file.head.get("recorder") == "vcrpy" else ""
    write = partial(_interaction, origin=origin.rstrip("/"), no_body=no_body)
    steps = list(enumerate(file.recordings, 1))
    tools = [
        {
            "step": number,
            "name": tool_name(urlsplit(one.request.uri).path),
            "arguments": json.loads(one.request.body or b"{}"),
            "outcome": json.loads(one.response["body"]["string"]),
        }
        for number, one in steps
        if one.request.method == TOOL
    ]
    interactions = [write(one) for _, one in steps if one.request.method != TOOL]
    document = {"version": 1, "interactions": interactions, **({"tools": tools} if tools else {})}
    write_file(Path(target), _TITLE + dump(document))


def _interaction(one: Recorded, origin: str, no_body: str | None) -> dict[str, Any]:
    request, response = one.request, one.response
    rest = request.uri.removeprefix(ORIGIN)
    return {
        "request": {
            "method": request.method,
            "uri": origin + rest if rest.startswith("/") else request.uri,
            "body": no_body if request.body is None else as_text(request.body),
            "headers": request.headers,
        },
        "response": {
            "status": response["status"],
            "headers": response["headers"],
            "body": {"string": as_text(response["body"]["string"]) or ""},
        },
    }
