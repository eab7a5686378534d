"""Whatever models and servers send: it is read, or refused, and never learnt as something that it is not."""

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import openai
import pytest

from memzoo.errors import ModelError, ModelReplyError
from memzoo.http_library import http
from memzoo.memories import ChatModel, ConversationEntityMemory, ConversationKGMemory, ConversationSummaryMemory
from memzoo.memories.models import replies
from memzoo.sync import drive

if TYPE_CHECKING:
    from memzoo.types import Completion

FOLDER = Path(__file__).parent / "replies"
OLD = "Anna is a baker."
MOVED = {"input": "My sister Mara moved from Paris to Oslo."}


def shapes(task: str) -> Iterator[Any]:
    """The replies in the file for a task, each under the name of its shape."""
    for reply in tomllib.loads((FOLDER / f"{task}.toml").read_text(encoding="utf-8"))["reply"]:
        yield pytest.param(reply, id=reply["shape"])


def each(task: str) -> Any:
    """Runs a test with each reply for a task."""
    return pytest.mark.parametrize("reply", [*shapes(task)])


def model(*bodies: str) -> ChatModel:
    """A model behind the real client, which gets these bodies of responses, one for each call."""
    left = iter(bodies)

    def respond(request: http.Request) -> http.Response:
        return http.Response(200, headers={"content-type": "application/json"}, content=next(left).encode())

    http_client = http.Client(transport=http.MockTransport(respond))
    return ChatModel("m", openai.OpenAI(api_key="none", max_retries=0, http_client=http_client))


def saying(*texts: Any) -> ChatModel:
    """A model that says these texts; those of a shape as it has them."""
    return model(*(_body(text if isinstance(text, str) else _text(text)) for text in texts))


def _text(reply: dict[str, Any]) -> str:
    return json.loads(reply["json"]) if "json" in reply else reply["text"]


def _body(text: str) -> str:
    message = {"role": "assistant", "content": text}
    return json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": message}]})


def outcome(reply: dict[str, Any], do: Callable[[], Any]) -> Any:
    """What comes out, after making sure that an unusable reply is refused, with the error for that."""
    if not reply.get("unusable"):
        return do()
    with pytest.raises(ModelReplyError):
        do()
    return None


@each("summary")
def test_summary(reply: dict[str, Any]) -> None:
    """A summary is the model's answer and nothing else; without one the old summary stays."""
    memory = ConversationSummaryMemory(llm=saying(OLD, reply), learn_every=1)
    memory.save_context({"input": "I am Anna, a baker."}, {"output": "Hello Anna!"})
    outcome(reply, lambda: memory.save_context(MOVED, {"output": "Noted."}))
    assert memory.summary == reply.get("gives", OLD)
    assert (MOVED["input"] in str(memory.messages(catch_up=False))) == reply.get("unusable", False)


class Asking(ConversationKGMemory):
    """Lets a test ask as its hooks do."""

    def answer(self, prompt: str, **variables: Any) -> str:
        """The model's answer to a prompt."""
        return drive(self._ask(prompt, **variables))


@each("entities")
def test_names(reply: dict[str, Any]) -> None:
    """Names come without numbers, kinds, explanations and talk around them."""
    memory = Asking(llm=saying(reply))
    asked = {"history": "", "input": MOVED["input"], "known": ()}
    found = outcome(reply, lambda: replies.names(memory.answer("current_entities", **asked)))
    assert (found or []) == reply.get("gives", [])


@each("notes")
def test_notes(reply: dict[str, Any]) -> None:
    """A note is what was said of a name, in whatever form it came."""
    memory = ConversationEntityMemory(llm=saying(reply), learn_every=1)
    outcome(reply, lambda: memory.save_context(MOVED, {"output": "Noted."}))
    assert {name: note for name, note in memory.entities.items() if note} == reply.get("gives", {})


@each("triples")
def test_triples(reply: dict[str, Any]) -> None:
    """Facts come without thoughts, heads of tables and repeated parts of the prompt."""
    memory = Asking(llm=saying(reply))
    lines = {"history": "", "dated_history": "", "new_lines": MOVED["input"], "dated_new_lines": MOVED["input"]}
    asked = {**lines, "known": (), "relations": ()}
    read = outcome(reply, lambda: replies.statements(memory.answer("triple_extraction", **asked)))
    found: list[replies.Statement] = read or []
    written = [f"{'NOT ' * one.negated}{one.subject} | {one.relation} | {one.object}" for one in found]
    assert written == reply.get("gives", [])


@each("answer")
def test_answer(reply: dict[str, Any]) -> None:
    """A response is an answer with what it cost, as far as that can be read, or a `ModelError`."""
    asked = model(reply["body"])
    answer: Completion | None = None
    try:
        answer = drive(asked.complete([{"role": "user", "content": "Where?"}], "chat"))
    except ModelError:
        assert reply.get("unusable")
    assert (answer.text if answer else None) == reply.get("gives")
    assert not answer or answer.spent.prompt_tokens + answer.spent.completion_tokens == reply.get("tokens", 0)


@pytest.mark.parametrize("task", ["summary", "entities", "notes", "triples", "answer"])
def test_each_reply_says_what_comes_of_it(task: str) -> None:
    """A shape has a name of its own, what was sent, and one outcome."""
    replies = tomllib.loads((FOLDER / f"{task}.toml").read_text(encoding="utf-8"))["reply"]
    for reply in replies:
        assert len(reply.keys() & {"text", "json", "body"}) == 1, reply
        assert len(reply.keys() & {"gives", "unusable", "unchanged"}) == 1, reply
        assert reply.keys() <= {"shape", "text", "json", "body", "gives", "unusable", "unchanged", "tokens"}, reply
    assert len({reply["shape"] for reply in replies}) == len(replies)


@pytest.mark.parametrize("text", ["Mara sent \ud83d", "<think>Mara?", "<|im_end|>", ""])
def test_a_function_is_read_alike(text: str) -> None:
    """A function's reply that cannot be used is refused as an endpoint's is."""
    memory = ConversationSummaryMemory(llm=lambda _: text, learn_every=1)
    with pytest.raises(ModelReplyError):
        memory.save_context(MOVED, {"output": "Noted."})
    assert memory.summary == ""
