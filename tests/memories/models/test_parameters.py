"""Parameters of a model are checked when it is made, by the signatures of the `openai` client."""

import functools
import pickle
from typing import Any

import openai
import pytest
from openai.resources.chat.completions import Completions

from memzoo.errors import ModelError, OptionError, UnknownOptionError
from memzoo.http_library import http
from memzoo.memories import ChatModel, OpenAIEmbedder
from memzoo.stores import Message
from memzoo.sync import drive

ASKED: list[Message] = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    ("make", "options", "advice"),
    [
        (ChatModel, {"temprature": 0}, "no parameter 'temprature'.*Did you mean 'temperature'"),
        (ChatModel, {"max_retry": 0}, "Did you mean 'max_retries'"),
        (ChatModel, {"top_k": 40}, r"goes into extra_body=\{'top_k': \.\.\.\}"),
        (OpenAIEmbedder, {"dimension": 3}, "Did you mean 'dimensions'"),
        (ChatModel, {"stream": True}, "stream is chosen call by call"),
        (ChatModel, {"messages": []}, "messages is chosen call by call"),
        (ChatModel, {"http_client": http.Client()}, r"client=OpenAI\(http_client=\.\.\.\)"),
        (ChatModel, {"client": openai.OpenAI(api_key="k"), "max_retries": 0}, r"client=OpenAI\(max_retries=\.\.\.\)"),
        (ChatModel, {"client": openai.OpenAI(api_key="k"), "temprature": 0}, "Did you mean 'temperature'"),
        (ChatModel, {"max_reply_bytes": 0}, "max_reply_bytes must be a number greater than 0, not 0"),
        (ChatModel, {"max_reply_seconds": "long"}, "max_reply_seconds must be a number greater than 0, not 'long'"),
    ],
)
def test_what_cannot_work_is_refused_at_once(make: Any, options: dict[str, Any], advice: str) -> None:
    """A typo, and what has another place, is an `OptionError` when the model is made, and not at the first save."""
    with pytest.raises(OptionError, match=advice):
        make("m", **options)


def test_a_typo_is_also_a_type_error() -> None:
    """As Python has it for an argument that nobody takes."""
    assert issubclass(UnknownOptionError, TypeError)
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
