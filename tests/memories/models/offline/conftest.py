"""What the tests of the offline model share: its clients, and prompts as memzoo writes them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from openai import OpenAI

from memzoo.memories import offline_client
from memzoo.memories.models.offline import serve
from tests.prompting import rendered


@pytest.fixture(scope="session")
def client() -> Iterator[OpenAI]:
    """The client that speaks to the model in this process."""
    with offline_client() as found:
        yield found


@pytest.fixture(scope="session")
def served() -> Iterator[str]:
    """The base URL of a server on loopback."""
    with serve() as url:
        yield url


@pytest.fixture(scope="session")
def ask(client: OpenAI) -> Callable[..., str]:
    """Sends one of memzoo's prompts and returns the reply."""

    def send(task: str, **variables: Any) -> str:
        prompt = rendered(task, **variables)
        said = client.chat.completions.create(model="any", messages=[{"role": "user", "content": prompt}])
        return said.choices[0].message.content or ""

    return send
