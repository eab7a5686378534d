"""Counting tokens: by tiktoken, approximately, by a function of one's own; never silently by another one."""

import asyncio
import os
import typing
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiktoken

from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.errors import OptionError
from memzoo.memories import ChatModel, Conversation, ConversationSummaryBufferMemory, create_memory
from memzoo.memories.text.tokens import count_text, token_counter
from memzoo.stores import InMemoryStore, Message
from tests.vocabulary import Vocabulary

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
        """A model's name, or an encoding's, counts the tokens of that encoding, and 4 around a message."""
        counter = token_counter(name)
        assert counter.name == encoding
        assert counter(MESSAGE) - 4 == len(tiktoken.get_encoding(encoding).encode(TEXT)) == count_text(TEXT, encoding)

    @pytest.mark.parametrize(("model", "encoding"), [("gpt-4", "cl100k_base"), ("my-own-model", "approximate")])
    def test_follows_the_model_of_the_memory(self, model: str, encoding: str) -> None:
        """Without a counter the model's encoding counts; for one that tiktoken does not know they are estimated."""
        memory = ConversationSummaryBufferMemory(llm=ChatModel(model))
        assert memory.render.counter.name == encoding

    def test_of_the_memory_goes_before_that_of_the_model(self) -> None:
        """A counter that is chosen for the memory counts, whatever the model."""
        counter = "gpt-4"
        memory = ConversationSummaryBufferMemory(llm=ChatModel("gpt-4o"), token_counter=counter)
        assert memory.render.counter.name == "cl100k_base"

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
        assert (counter.of_text(""), counter.of_text(" ")) == (0, 1)
        assert counter({"role": "user", "content": ""}) == 4

    @needs_vocabulary
    @pytest.mark.parametrize("text", ["English", "Chinese", "German", "code"])
    def test_estimate_is_close(self, text: str) -> None:
        """It is at most a tenth off on average, and never a quarter too low, whatever the language."""
        long, single, estimated, counted = list[float](), list[float](), 0, 0
        for one in _samples(text):
            guess, tokens = count_text(one, "approximate"), count_text(one, "o200k_base")
            if tokens >= 20:
                single.append(guess / tokens - 1)
            estimated, counted = estimated + guess, counted + tokens
            if counted >= 200:
                long.append(estimated / counted - 1)
                estimated = counted = 0
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
        with pytest.raises(OptionError, match=r"lambda.* returned .* for .*fox.*; it must be an int >= 0"):
            counter(MESSAGE)


class TestUnreachable:
    """A machine that cannot get the vocabulary."""

    def test_is_estimated_with_one_warning(self, vocabulary: Vocabulary) -> None:
        """Counts are estimates, and one warning names the ways out, for code and for the command line."""
        vocabulary.serve(up=False)
        counter = token_counter("gpt-4o-mini")
        with pytest.warns(
            UserWarning, match=r"set TIKTOKEN_CACHE_DIR .* token_counter='approximate' .*--token-counter "
        ) as warned:
            assert {counter.of_text(TEXT), count_text(TEXT, "o200k_base")} == {count_text(TEXT, "approximate")}
        assert len(warned) == 1
        assert counter.name == "approximate"

    def test_is_counted_again_when_it_can_be(self, vocabulary: Vocabulary) -> None:
        """Once the vocabulary can be had, the same counter is exact."""
        vocabulary.serve(up=False)
        counter = token_counter("gpt-4o-mini")
        with pytest.warns(UserWarning, match="estimated"):
            assert counter.of_text(TEXT) == (guess := count_text(TEXT, "approximate"))
        vocabulary.serve()
        assert counter.of_text(TEXT) == len(tiktoken.get_encoding("o200k_base").encode(TEXT)) != guess
        assert counter.name == "o200k_base"

    def test_a_download_that_hangs_is_not_tried_at_each_message(
        self, vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """After an attempt that took a second there is none for the next ten."""
        now, tried = [0.0], list[float]()

        def hang(name: str) -> None:
            tried.append(now[0])
            now[0] += 1
            raise ConnectionError(name)

        monkeypatch.setattr("tiktoken.get_encoding", hang)
        monkeypatch.setattr("memzoo.memories.text.tokens._REST", 10)
        monkeypatch.setattr("memzoo.memories.text.tokens.time", SimpleNamespace(monotonic=lambda: now[0]))
        with pytest.warns(UserWarning, match="estimated"):
            count_text(TEXT, "o200k_base")
        for second in range(2, 30):
            now[0] = max(now[0], second)
            count_text(TEXT, "o200k_base")
        assert tried == [0, 11, 22]

    @pytest.mark.parametrize("name", ["token-window", "vector-retriever", "entity"])
    def test_a_memory_shows_what_fits_once_it_can_count(self, name: str, vocabulary: Vocabulary) -> None:
        """Saves and loads work without a vocabulary; with it, the memory shows what one shows that had it always."""
        said = [f"Bitte überprüfen Sie die Straßenbahnverbindung Nummer {number} nach Köln." for number in range(12)]
        options: dict[str, Any] = {"token_counter": "gpt-4o-mini", "llm": answer, "max_token_limit": 110}
        question = {"input": "Wohin fährt die Straßenbahnverbindung Nummer 3?"}
        with InMemoryStore() as store:
            memory = create_memory(name, store=store, conversation_id="c", **options)
            vocabulary.serve(up=False)
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                for text in said:
                    memory.save_context({"input": text}, {"output": "Gut."})
                estimated = memory.load_memory_variables(question)
            assert [warning.category for warning in warned] == [UserWarning]
            vocabulary.serve()
            shown = memory.load_memory_variables(question)
            another = create_memory(name, store=store, conversation_id="c", **options)
            assert shown == another.load_memory_variables(question)
            assert (shown != estimated) == (name != "entity")

    @pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
    def test_a_conversation_goes_on(self, awaited: bool, vocabulary: Vocabulary) -> None:  # noqa: FBT001
        """A limit for whole requests needs no vocabulary either."""
        vocabulary.serve(up=False)
        with Conversation(answer, "buffer", max_tokens=200, token_counter="gpt-4o-mini") as talk:
            with pytest.warns(UserWarning, match="estimated"):
                assert str(asyncio.run(talk.asend("Hallo!")) if awaited else talk.send("Hallo!")) == "NONE"
            assert len(talk.memory.history()) == 2


def answer(_messages: Sequence[Message]) -> str:
    """Stands in for a model."""
    return "NONE"


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
