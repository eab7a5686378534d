"""Dialogues of "Choosing the Memory Component" that need a model which understands what is said.

Neither the offline model nor a small one knows who "he" is, or what "I'm not" takes back. So a script stands in for the
model: it answers as one would that reads the prompt, and only if the prompt has what such a model needs.
`make record MODEL=...` records them from a real one.

The last tests are of the dialogues to the letter, each learnt from in one step. What answers there is
`large_model_replies.toml`: what a large instruction-following model said that saw the prompt and nothing else.
"""

import datetime
import tomllib
from pathlib import Path

import pytest

from memzoo.memories import ConversationKGMemory, create_memory
from memzoo.stores import InMemoryStore, Message
from memzoo.strategy import text_of
from memzoo.testing import ScriptedModel
from tests.recording import scripted_or_recorded

FILMS = [
    (
        "Can you recommend any good movies?",
        'You might consider "Interstellar" and "Inception", both directed by Christopher Nolan.',
    ),
    ("What other films has he directed?", '"Memento" and "The Dark Knight".'),
]
CLAIM = [
    ("Name three of the most handsome men in the world.", "Daniel Wu, Andy Lau, and you!"),
    ("You're wrong, be humble; I'm not.", "Sorry, I misspoke; you are indeed not."),
]
NOLAN, HANDSOME = "Christopher Nolan | directed | ", " | is one of the | most handsome men"


def film_lover(messages: list[Message]) -> str:
    """Knows who "he" is as long as the prompt has the name."""
    prompt = messages[-1]["content"]
    before, _, new = prompt.partition("<new_lines>")
    if "Christopher Nolan" not in prompt and "Nolan" not in new:
        return "NONE"
    if prompt.startswith("Task: current_entities"):
        return "Christopher Nolan"
    titles = ("Interstellar", "Inception") if "Interstellar" in new else ("Memento", "The Dark Knight")
    return "\n".join(NOLAN + title for title in titles) if "Christopher Nolan" in before + new else "NONE"


def humble(messages: list[Message]) -> str:
    """Takes a fact back if the prompt shows that it was noted, and what was said to it."""
    prompt = messages[-1]["content"]
    if prompt.startswith("Task: current_entities"):
        return "most handsome men"
    if "I'm not" not in prompt.partition("<new_lines>")[2]:
        return "\n".join(name + HANDSOME for name in ("Daniel Wu", "Andy Lau", "user"))
    return f"NO LONGER user{HANDSOME}" if f"user{HANDSOME}" in prompt else "NONE"


def told(model: object, said: list[tuple[str, str]], question: str) -> str:
    """What a graph of both speakers' facts shows for a question."""
    memory = ConversationKGMemory(llm=model, mine_ai=True, learn_every=1)  # type: ignore[arg-type]  # a script or a ChatModel
    for user, answer in said:
        memory.save_context({"input": user}, {"output": answer})
    return str(memory.load_memory_variables({"input": question})["history"])


@scripted_or_recorded("memories/test_dialogues", "films")
def test_films_by_him(real: bool, request: pytest.FixtureRequest) -> None:  # noqa: FBT001 - a parameter of pytest's
    """Films of the turn in which the director was only "he" are found by his name."""
    model = request.getfixturevalue("recorded_model") if real else film_lover
    shown = told(model, FILMS, "What films has Nolan directed?")
    assert all(title in shown for title in ("Interstellar", "Inception", "Memento", "The Dark Knight"))


@scripted_or_recorded("memories/test_dialogues", "corrected-claim")
def test_corrected_claim(real: bool, request: pytest.FixtureRequest) -> None:  # noqa: FBT001 - a parameter of pytest's
    """A claim that the user takes back is shown no longer; what was said beside it still is."""
    model = request.getfixturevalue("recorded_model") if real else humble
    shown = told(model, CLAIM, "Name three of the most handsome men")
    assert "Daniel Wu" in shown
    assert "Andy Lau" in shown
    assert "user" not in shown.lower().split()


def test_langchain_and_llm() -> None:
    """What a thing is for, and what its short name stands for, are found by either name; the script is of ours."""
    replies = [
        "LangChain | is | a framework for applications with language models\nLLM = large language model",
        "user | builds | a chatbot | with LangChain",
    ]
    said = [
        ("What is LangChain?", "A framework for applications with an LLM, a large language model."),
        ("I build a chatbot with it.", "Good choice."),
    ]
    assert "LLM is another name of large language model" in told(ScriptedModel(*replies), said, "What does LLM mean?")


WHEN = datetime.datetime(2026, 11, 2, 9, tzinfo=datetime.UTC)
LARGE = tomllib.loads(Path(__file__).with_name("large_model_replies.toml").read_text(encoding="utf-8"))


def shown_by(strategy: str, dialogue: str, question: str) -> str:
    """What a memory shows for a question that learnt from a dialogue by the replies of a large model."""
    said = LARGE["dialogue"][dialogue]
    by = {(one["strategy"], one["dialogue"]): str(one["reply"]) for one in LARGE["reply"]}

    def replied(messages: list[Message]) -> str:
        assert "\n".join(f"{who}: {what}" for who, what in said) in messages[-1]["content"]
        return by[strategy, dialogue]

    store = InMemoryStore(clock=lambda: WHEN)
    memory = create_memory(strategy, llm=replied, store=store, clock=WHEN.timestamp, learn_every=1)
    roles = {"Human": "user", "AI": "assistant"}
    memory.add_messages([{"role": roles[who], "content": what} for who, what in said], learn=False)
    memory.settle()
    return "\n".join(text_of(message) for message in memory.messages(question))


def test_a_large_model_knows_whom_he_means() -> None:
    """Of the films of "he", as of those before, the director's name finds each."""
    shown = shown_by("knowledge-graph", "films", "What films has Nolan directed?")
    titles = ("Interstellar", "Inception", "Memento", "The Dark Knight", "The Dark Knight Rises")
    assert [title for title in titles if f"directed {title}." not in shown] == []


def test_a_large_model_takes_a_claim_back() -> None:
    """What the user says not to be is shown as denied, once; the others are shown."""
    shown = shown_by("knowledge-graph", "corrected-claim", "Name three of the most handsome men in the world.")
    assert [name for name in ("Daniel Wu", "Andy Lau") if f"{name} is one of the most handsome" not in shown] == []
    assert "user is one of" not in shown
    assert shown.count("user is not one of") == 1


@pytest.mark.parametrize("strategy", ["entity", "knowledge-graph"])
def test_a_large_model_tells_what_llm_stands_for(strategy: str) -> None:
    """What LangChain connects is shown, and what LLM is; and for "it", what the user builds with LangChain."""
    shown = shown_by(strategy, "langchain-and-llm", "What is an LLM, and what does LangChain connect?")
    assert [one for one in ("large language model", "prompts", "memory", "tools") if one not in shown] == []
    shown = shown_by(strategy, "langchain-and-llm", "What do I build the chatbot of my bakery with?")
    assert "LangChain" in shown
