"""Parameters of a model are checked when it is made, by the signatures of the `openai` client."""

import functools
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from openai.resources.chat.completions import Completions

from memzoo.errors import ModelError, OptionError
from memzoo.memories import ChatModel
from memzoo.stores import Message
from memzoo.sync import drive

if TYPE_CHECKING:
    import openai

ASKED: list[Message] = [{"role": "user", "content": "hi"}]


def test_a_typo_is_also_a_type_error() -> None:
    """As Python has it for an argument that nobody takes."""
    assert issubclass(OptionError, TypeError)
    with pytest.raises(TypeError, match="temprature"):
        ChatModel("m", temprature=0)


@pytest.mark.parametrize("name", ["m", "offline"])
def test_options_of_the_client_reach_the_client(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`max_retries` and the like go to the clients that are made here, and not into the requests."""
    seen: list[openai.OpenAI] = []
    create: Any = Completions.create

    @functools.wraps(create)
    def spied(self: Any, **request: Any) -> Any:
        seen.append(self._client)
        assert "max_retries" not in request
        return create(self, **request)

    monkeypatch.setattr(Completions, "create", spied)
    url: dict[str, Any] = {} if name == "offline" else {"base_url": "http://127.0.0.1:1/v1", "api_key": "k"}
    model = ChatModel(name, max_retries=0, default_query={"a": "b"}, timeout=1.0, **url)
    assert model.parameters == {"timeout": 1.0}
    if name == "offline":
        drive(model.complete(ASKED, "summary"))
    else:
        with pytest.raises(ModelError, match="APIConnectionError"):
            drive(model.complete(ASKED, "summary"))
    assert [(one.max_retries, one.default_query) for one in seen] == [(0, {"a": "b"})]


def test_a_client_that_takes_anything_is_believed() -> None:
    """A client that wraps the real one, as tracers do, may take parameters that nobody knows."""

    class Anything:
        class chat:  # noqa: N801 - as the client has it
            class completions:  # noqa: N801
                @staticmethod
                def create(**request: Any) -> Any:
                    raise ConnectionError(str(sorted(request)))

    client: Any = Anything()
    with pytest.raises(ModelError, match="'trace_name'"):
        drive(ChatModel("m", client, trace_name="x").complete(ASKED, "summary"))


def test_a_pickle_keeps_bounds_and_options() -> None:
    """What is no secret goes along; what may be one is refused by its name."""
    model = ChatModel("m", temperature=0, max_retries=7, max_reply_bytes=5)
    assert pickle.loads(pickle.dumps(model)).__reduce__() == model.__reduce__()  # noqa: S301
    assert model.__reduce__()[1][2] == {
        "temperature": 0,
        "max_retries": 7,
        "max_reply_bytes": 5,
        "max_reply_seconds": 3600.0,
        "base_url": None,
    }
    suspects: dict[str, Any] = {"webhook_secret": "x", "default_query": {"key": "x"}}
    for name, value in suspects.items():
        with pytest.raises(OptionError, match=f"{name}="):
            pickle.dumps(ChatModel("m", **{name: value}))
