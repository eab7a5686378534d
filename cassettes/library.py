"""Looks into folders of cassettes: what is there, whether it is sound, and what it would cost again."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memzoo.cassettes.conversation import Facts, answer_text, facts_of
from memzoo.cassettes.errors import replay_extra
from memzoo.cassettes.files import write_file
from memzoo.cassettes.http import Recorded
from memzoo.cassettes.matching import request_key
from memzoo.cassettes.scrubbing import Scrubber
from memzoo.cassettes.secrets import Keys, secrets_in_environment
from memzoo.cassettes.settings import CassetteSettings

__all__ = ["Tape", "clean", "paths_in", "read_tape", "shown_tape"]

_ENDINGS = (".yaml", ".yml", ".yaml.gz", ".json")


@dataclass(frozen=True, slots=True)
class Tape:
    """A cassette's file: what its header says, what it has, and its bytes."""

    path: Path
    head: dict[str, Any]
    recordings: list[Recorded]
    size: int

    @property
    def facts(self) -> Facts:
        """Its models and tokens."""
        return facts_of(one.response for one in self.recordings)


def paths_in(folder: Path) -> list[Path]:
    """List the cassettes below a folder, or the one that a path names."""
    if folder.is_file():
        return [folder]
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name.endswith(_ENDINGS))


def read_tape(path: Path) -> Tape:
    """Read a cassette: ours, or vcrpy's.

    Raises:
        CassetteFormatError: It is neither.
    """
    with replay_extra():
        from memzoo.cassettes.format import read_cassette
    head, recordings = read_cassette(path)
    return Tape(path, head, recordings, path.stat().st_size)


def shown_tape(tape: Tape) -> Iterator[str]:
    """List the calls of a cassette to read: what was asked, and what was answered."""
    for number, one in enumerate(tape.recordings, 1):
        yield f"{number}. {request_key(one.request)}"
        yield f"   -> {one.response['status']['code']} {answer_text(one.response)}"


def clean(tape: Tape, target: Path | None = None) -> bool:
    """Remove what is a secret by today's rules, and write the cassette in today's format.

    Args:
        tape: What to clean.
        target: Where to write the result; by default nothing is written.

    Returns:
        Whether there was a secret.
    """
    from memzoo.cassettes.format import ReadableSerializer, write_cassette
    from memzoo.cassettes.player import Player

    scrubber = Scrubber(Keys(secrets_in_environment()))
    # The player has read all requests when it is made, so it knows their secrets by then.
    fresh = Player(tape.recordings, scrubber=scrubber, path=tape.path, settings=CassetteSettings()).finished()
    if target is not None:
        write_file(target, write_cassette(fresh, ReadableSerializer(head=tape.head)))
    return any(_said(new) != _said(old) for new, old in zip(fresh, tape.recordings, strict=True))


def _said(one: Recorded) -> tuple[Any, ...]:
    return urlsplit(one.request.uri)._replace(scheme="", netloc=""), one.request.body, one.response["body"]
