"""Cassettes that others published, replayed: what this kit gives back is compared with what their files hold.

`python -m tests.cassettes.published_cassettes FOLDER...` takes checkouts of any repositories (`git clone` of each). It
sends each recorded request with httpx while its cassette is open, and counts the cassettes whose answers came back as
they were, those with a key hidden in them, and those that are refused, with the reason.
"""

import gzip
import json
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import httpx

from memzoo.cassettes import CassetteError, use_cassette
from memzoo.cassettes.library import paths_in
from memzoo.cassettes.vcrpy_files import join_pairs
from memzoo.cassettes.yaml_text import load
from memzoo.errors import MemoryZooWarning
from memzoo.hosts.messages import dict_of

ORIGIN = "http://recorded.invalid"


def read_document(path: Path) -> dict[str, Any] | None:
    """What a file holds, if it has recordings."""
    packed = path.read_bytes()
    text = gzip.decompress(packed) if path.suffix == ".gz" else packed
    if b"interactions" not in text and b"responses:" not in text:
        return None
    try:
        document = join_pairs(load(text.decode()))
    except ValueError:
        return {"interactions": []}  # the kit says why it is not read
    found = dict_of(document)
    return found if isinstance(found.get("interactions"), list) else None


def body_of(message: dict[str, Any]) -> Any:
    """A recorded body: bytes, or the value of its JSON."""
    if "parsed_body" in message:
        return message["parsed_body"]
    body: Any = message.get("body", message.get("content"))
    if held := dict_of(body):
        body = held.get("string", held.get("base64_string"))
    content: bytes = body.encode() if isinstance(body, str) else body or b""
    if content[:2] == b"\x1f\x8b":
        return gzip.decompress(content)
    return zlib.decompress(content) if content[:2] == b"\x78\x9c" else content


def replays(document: dict[str, Any], client: httpx.Client) -> Iterator[str]:
    """Ask for what is recorded; yield what is other than it was."""
    for number, one in enumerate(document["interactions"], 1):
        asked, answered = one["request"], one["response"]
        uri, body = asked.get("uri") or asked["url"], body_of(asked)
        if not uri.startswith(("http", "/")):
            yield f"request {number} has no address that can be asked: {uri}"
            continue
        headers: dict[str, Any] = asked.get("headers") or {}
        kinds = [value for name, value in headers.items() if name.lower() == "content-type"]
        kind = next(iter(kinds), "")
        kind = cast("list[str]", kind)[0] if isinstance(kind, list) else str(kind)
        reply = client.request(
            asked["method"],
            ORIGIN + uri if uri.startswith("/") else uri,
            content=body if isinstance(body, bytes) else json.dumps(body).encode(),
            headers={"content-type": kind} if kind else {},
        )
        status: Any = answered.get("status", answered.get("status_code"))
        code: int = dict_of(status)["code"] if isinstance(status, dict) else int(str(status).split(" ")[0])
        expected = body_of(answered)
        given = reply.content if isinstance(expected, bytes) else json.loads(reply.content)
        if reply.status_code != code:
            yield f"answer {number} has status {reply.status_code}, not {code}"
        if given != expected:
            yield f"answer {number} is another"


def try_cassette(path: Path, document: dict[str, Any]) -> str:
    """Replay a cassette, and return what became of it."""
    with warnings.catch_warnings(record=True) as warned, httpx.Client() as client:
        warnings.simplefilter("always", MemoryZooWarning)
        try:
            with use_cassette(path):
                wrong = list(replays(document, client))
        except CassetteError as error:
            return f"refused: {type(error).__name__}: {str(error).splitlines()[0].rpartition(str(path.parent))[2]}"
    if any(issubclass(one.category, MemoryZooWarning) for one in warned):
        return "replayed, with a key hidden in an answer"
    return f"wrong: {'; '.join(wrong)}" if wrong else "replayed as it was"


def count_cassettes(folder: Path) -> Counter[str]:
    """Replay all cassettes below a folder, and print those that do not replay."""
    found = Counter[str]()
    for path in paths_in(folder):
        if document := read_document(path):
            outcome = try_cassette(path, document)
            found[outcome.split(": ")[0]] += 1
            found["requests"] += len(document["interactions"])
            if not outcome.startswith("replayed"):
                print(f"{path}: {outcome}", flush=True)  # noqa: T201 - what the command is for
    return found


if __name__ == "__main__":
    total = Counter[str]()
    for folder in sys.argv[1:]:
        total += count_cassettes(Path(folder))
    if not total:
        sys.exit(f"no cassettes in {', '.join(sys.argv[1:]) or 'nothing: give folders'}")
    for what, count in sorted(total.items()):
        print(f"{what}: {count:,}")  # noqa: T201 - what the command is for
