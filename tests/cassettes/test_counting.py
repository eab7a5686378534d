"""Counts of tokens: a cassette keeps those of its run, and a vocabulary is no recording."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests

from memzoo import create_memory
from memzoo.cassettes import Cassette, CassetteError, ReplayError, use_cassette
from memzoo.cassettes.settings import Record
from tests.cassettes.conftest import DEAD_URL, ModelServer, Pipeline
from tests.vocabulary import Vocabulary

# The estimate counts more in these than o200k_base, so that fewer of them would fit.
SAID = [f"Bitte überprüfen Sie die Straßenbahnverbindung Nummer {number} nach Köln." for number in range(8)]


def run(pipeline: Pipeline, at: str = DEAD_URL) -> str | None:
    """A program that asks with as much of a conversation as fits."""
    memory = create_memory("token-window", max_token_limit=80, token_counter="gpt-4o-mini")
    for text in SAID:
        memory.add_messages([{"role": "user", "content": text}])
    return pipeline.ask(memory.load_memory_variables({})["history"], at)


def test_replays_without_vocabulary_and_network(
    pipeline: Pipeline, server: ModelServer, path: Path, vocabulary: Vocabulary
) -> None:
    """What was recorded with a vocabulary replays without one: counts are those of the recording."""
    with use_cassette(path, record="once"):
        recorded = run(pipeline, server.url)
    assert vocabulary.served == 1
    assert "o200k_base.tiktoken" not in path.read_text()
    server.stop()
    vocabulary.forget()
    vocabulary.serve(up=False)
    with use_cassette(path):
        assert run(pipeline) == recorded


def test_replays_an_estimate_where_there_is_a_vocabulary(
    pipeline: Pipeline, server: ModelServer, path: Path, vocabulary: Vocabulary
) -> None:
    """What was recorded without a vocabulary replays with one: counts are those of the recording."""
    vocabulary.serve(up=False)
    with use_cassette(path, record="once"), pytest.warns(UserWarning, match="tokens are estimated"):
        recorded = run(pipeline, server.url)
    server.stop()
    vocabulary.forget()
    vocabulary.serve()
    with use_cassette(path):
        assert run(pipeline) == recorded


def test_other_counts_lead_to_other_questions(
    pipeline: Pipeline, server: ModelServer, path: Path, vocabulary: Vocabulary
) -> None:
    """A recording without counts, where there is no vocabulary, is missed by an estimate; with one it replays."""
    with use_cassette(path, record="once"):
        recorded = run(pipeline, server.url)
    server.stop()
    path.write_text(re.sub(r"^counts:\n(?: .*\n)*", "", path.read_text(), flags=re.MULTILINE))
    vocabulary.forget()
    vocabulary.serve(up=False)
    with pytest.raises(ReplayError), pytest.warns(UserWarning, match="estimated"), use_cassette(path):
        run(pipeline)
    vocabulary.forget()
    vocabulary.serve()
    with use_cassette(path):
        assert run(pipeline) == recorded
    assert vocabulary.served == 2


def test_no_secret_is_kept_as_a_count(path: Path, vocabulary: Vocabulary) -> None:
    """A counted text stands in the file under a name that does not depend on the secrets in it."""
    names: list[str] = []
    for secret in ("sk-proj-a1aaaaaaaaaaaaaaaaaaaaaa", "sk-proj-b2bbbbbbbbbbbbbbbbbbbbbb"):
        path.unlink(missing_ok=True)
        vocabulary.forget()
        with use_cassette(path, record="once"):
            memory = create_memory("token-window", max_token_limit=80, token_counter="gpt-4o-mini")
            memory.add_messages([{"role": "user", "content": f"My key is {secret}"}])
            memory.load_memory_variables({})
        names += re.findall(r"^    '?(\w{8})'?: \d+$", path.read_text(), re.MULTILINE)
    assert len(names) == 4  # with that of the empty text
    assert names[:2] == names[2:]


def test_damaged_counts_are_refused(path: Path) -> None:
    """A file whose counts are no numbers is refused as a damaged one."""
    with use_cassette(path, record="once"):
        pass
    path.write_text(
        path.read_text().replace("interactions:", "counts:\n  o200k_base:\n    abcdefgh: many\ninteractions:")
    )
    with pytest.raises(
        CassetteError, match="'counts' must have a mapping of texts to numbers of tokens for each encoding"
    ):
        Cassette(path)


PAST = (
    "http://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
    "http://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json",
    "http://us.i.posthog.com/batch/",
    "http://collector.invalid/v1/traces",
)


@pytest.mark.parametrize("record", ["once", "none"])
@pytest.mark.parametrize("address", PAST)
@pytest.mark.parametrize("get", [requests.get, httpx.get], ids=["requests", "httpx"])
def test_requests_of_libraries_go_past(
    get: Callable[[str], Any], address: str, record: Record, path: Path, vocabulary: Vocabulary
) -> None:
    """A download or telemetry is sent as if there were no cassette, while recording and while replaying."""
    if record == "none":
        with use_cassette(path, record="once"):
            pass
    with use_cassette(path, record=record):
        assert get(address).status_code == 200
    assert vocabulary.served == 1
    assert "interactions: []" in path.read_text()


def test_a_failing_download_spoils_no_recording(path: Path, vocabulary: Vocabulary) -> None:
    """What goes past may fail; the request of the program may not."""
    vocabulary.serve(up=False)
    with use_cassette(path, record="once"), pytest.raises(requests.ConnectionError):
        requests.get(PAST[0], timeout=9)
    with pytest.raises(CassetteError), use_cassette(path, record="all"):
        requests.get("http://api.invalid/v1/models", timeout=9)


def test_what_was_recorded_earlier_is_played(path: Path, vocabulary: Vocabulary) -> None:
    """A request of a library that a file of another kit has is answered from it, and the next one goes past."""
    path.parent.mkdir()
    path.write_text(
        f"interactions:\n- request: {{method: GET, uri: '{PAST[1]}', body: null, headers: {{}}}}\n"
        "  response: {status: {code: 200, message: OK}, headers: {}, body: {string: old}}\nversion: 1\n"
    )
    with use_cassette(path):
        assert requests.get(PAST[1], timeout=9).text == "old"
        assert requests.get(PAST[1], timeout=9).text != "old"
    assert vocabulary.served == 1
