"""Counting tokens: by tiktoken, approximately, by a function of one's own; never silently by another one."""

import os
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiktoken

from memzoo.benchmarks import sample_transcripts
from memzoo.benchmarks.research.token_estimate import measure_errors
from memzoo.errors import TokenizerError
from memzoo.memories import ChatModel, ConversationSummaryBufferMemory
from memzoo.memories.text.tokens import count_text
from memzoo.stores import Message
from memzoo.strategy import token_counter

TEXT = "The quick brown fox jumps over the lazy dog; 狐狸跳过懒狗。"
MESSAGE: Message = {"role": "user", "content": TEXT}

GERMAN = """
Meine Schwester Anna wohnt seit drei Jahren in Oslo, aber im Herbst zieht sie mit ihrer Familie nach Lübeck zurück.
Könntest du mir bitte heraushelfen, welche Straßenbahn am Wochenende bis zum Krankenhaus fährt?
Die Bäckerei braucht für die Hochzeit am zwölften Mai ungefähr vierhundert Brötchen und drei große Nusstorten.
Der Vermieter verlangt eine Mieterhöhung von neunzig Euro im Monat, obwohl die Heizung ständig ausfällt.
Eigentlich wollte ich gestern schon anrufen, doch die Besprechung hat länger gedauert als ursprünglich geplant.
Für den Kuchen brauchst du zweihundert Gramm Mehl, eine Prise Salz, vier Eier und etwas geriebene Zitronenschale.
Unser Verein trifft sich jeden zweiten Donnerstag im Gemeindehaus, und die Anmeldung läuft noch bis Monatsende.
Nach der Prüfung möchte meine Nichte zuerst ein freiwilliges Jahr machen und danach vielleicht Maschinenbau studieren.
Der Zug nach München hatte wieder einmal Verspätung, deshalb haben wir den Anschluss in Nürnberg knapp verpasst.
"""

needs_vocabulary = pytest.mark.skipif(
    "TIKTOKEN_CACHE_DIR" not in os.environ,
    reason="tiktoken's vocabularies are not installed (llama-index-core has them)",
)


@needs_vocabulary
class TestTiktoken:
    """Counters by name."""

    @pytest.mark.parametrize(
        ("name", "encoding"),
        [
            ("gpt-4o-mini", "o200k_base"),
            ("gpt-4", "cl100k_base"),
            ("cl100k_base", "cl100k_base"),
            ("o200k_base", "o200k_base"),
        ],
    )
    def test_counts_as_the_model_does(self, name: str, encoding: str) -> None:
        """A model's name, or an encoding's, counts the tokens of that encoding."""
        counter = token_counter(name)
        assert counter.name == encoding
        assert counter(MESSAGE) == len(tiktoken.get_encoding(encoding).encode(TEXT)) == count_text(TEXT, encoding)

    @pytest.mark.parametrize(("model", "encoding"), [("gpt-4", "cl100k_base"), ("my-own-model", "approximate")])
    def test_follows_the_model_of_the_memory(self, model: str, encoding: str) -> None:
        """Without a counter the model's encoding counts; for one that tiktoken does not know they are estimated."""
        memory = ConversationSummaryBufferMemory(llm=ChatModel(model))
        assert memory.counter.name == encoding

    def test_of_the_memory_goes_before_that_of_the_model(self) -> None:
        """A counter that is chosen for the memory counts, whatever the model."""
        counter = "gpt-4"
        memory = ConversationSummaryBufferMemory(llm=ChatModel("gpt-4o"), token_counter=counter)
        assert memory.counter.name == "cl100k_base"

    @pytest.mark.parametrize("text", ["<|endoftext|>", "<|fim_prefix|> hi", "", "\ud83d"])
    def test_counts_any_text(self, text: str) -> None:
        """Special tokens in what a user says are text like any other (I8)."""
        assert token_counter("gpt-4o")({"role": "user", "content": text}) >= (1 if text else 0)

    def test_counts_tool_calls_and_pictures(self) -> None:
        """What stands in a message besides text counts with the words that stand for it (T3)."""
        call: Message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}],
        }
        assert token_counter("gpt-4o")(call) > 5
        assert token_counter("gpt-4o")({"role": "user", "content": [{"type": "image_url", "image_url": {}}]}) > 0


class TestOthers:
    """Counters that need no vocabulary."""

    def test_estimate(self) -> None:
        """Where no model with a known tokenizer is named, tokens are estimated; an empty text has none."""
        counter = token_counter(None)
        assert counter.name == token_counter("approximate").name == "approximate"
        assert counter({"role": "user", "content": ""}) == 0
        assert counter({"role": "user", "content": " "}) == 1

    @needs_vocabulary
    @pytest.mark.parametrize("text", ["English", "Chinese", "German", "code"])
    def test_estimate_is_close(self, text: str) -> None:
        """It is at most a tenth off on average, and never a quarter too low, whatever the language."""
        long, single = measure_errors(_samples(text))
        assert long
        assert sum(map(abs, long)) / len(long) <= 0.1
        assert min(single) >= -0.25

    def test_function(self) -> None:
        """A function counts one message; its name tells its counts from others'."""

        def ten(message: Message) -> int:
            return 10 * len(message["content"])

        counter = token_counter(ten)
        assert counter({"role": "user", "content": "abc"}) == 30
        assert "ten" in counter.name

    @pytest.mark.parametrize("tokens", [-1, 1.5, None, "7", [1]])
    def test_function_that_does_not_count(self, tokens: Any) -> None:
        """What is no count is an error that names the function and the message."""
        counter = token_counter(lambda _: tokens)
        with pytest.raises(TokenizerError, match=r"lambda.* gave .* for .*fox.*; it must be an int >= 0"):
            counter(MESSAGE)


class TestUnreachable:
    """A machine that cannot get the vocabulary."""

    @pytest.fixture(autouse=True)
    def _cut_off(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
        monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
        monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})

    def test_is_told_what_to_do(self) -> None:
        """There is no silent guess: the error names the two ways out, for code and for the command line."""
        counter = token_counter("p50k_edit")
        with pytest.raises(
            TokenizerError, match=r"set TIKTOKEN_CACHE_DIR .* token_counter='approximate' .*--token-counter "
        ):
            counter(MESSAGE)


def _samples(language: str) -> Iterator[str]:
    """Messages in English, paragraphs of our Chinese page, sentences in German, and parts of a module of Python's."""
    if language == "English":
        talk = sample_transcripts()[0]
        return (str(message["content"]) for exchange in talk.exchanges for message in exchange.messages)
    if language == "Chinese":
        page = Path(__file__).parents[3] / "docs" / "migrate" / "langchain4j.zh.md"
        return iter(page.read_text(encoding="utf-8").split("\n\n"))
    if language == "German":
        return iter(GERMAN.splitlines())
    return iter(Path(typing.__file__).read_text(encoding="utf-8").split("\n\n\n"))
