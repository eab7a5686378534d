"""Reading transcripts."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memzoo.benchmarks import Transcript, load_transcripts
from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.errors import OptionError, TransferError

Saved = Callable[..., Path]

_CHAT = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "hello", "id": "greeting"},
    {"role": "user", "content": "are you there?"},
    {"role": "user", "content": [{"type": "text", "text": "well?"}]},
]


def texts_of(transcript: Transcript) -> list[list[str]]:
    """What is said in each exchange."""
    return [[str(message["content"]) for message in exchange.messages] for exchange in transcript.exchanges]


class TestOwnFormat:
    """Sessions with messages, and questions."""

    def test_a_session_has_messages_with_ids_that_questions_cite(self, transcript: Transcript) -> None:
        """Evidence ids become the texts of the messages, and stay out of the messages themselves."""
        assert transcript.exchanges[0].messages[0] == {"role": "user", "content": "My cat is called Tom."}
        assert transcript.exchanges[0].evidence[1] == {"1b": "A fine name for a cat."}
        assert transcript.questions[1].evidence == ("The boat costs 4,200 crowns.", "That is a fair price.")
        assert (transcript.title, transcript.user, transcript.assistant) == ("Cat & boat", "Ann", "Bot")

    def test_each_exchange_has_the_date_of_its_session(self, transcript: Transcript) -> None:
        """The date of a session is that of its exchanges."""
        assert {exchange.date for exchange in transcript.exchanges} == {datetime(2026, 3, 2, 9, 15, tzinfo=UTC)}

    def test_a_date_without_a_time_zone_is_taken_for_utc(self, chat: dict[str, Any], saved: Saved) -> None:
        """A store's clock needs a time zone."""
        chat["sessions"][0]["date"] = "2026-03-02T09:15:00"
        (loaded,) = load_transcripts(saved(chat))
        assert loaded.exchanges[0].date == datetime(2026, 3, 2, 9, 15, tzinfo=UTC)

    def test_a_session_opens_an_exchange_even_if_the_assistant_speaks_first(
        self, chat: dict[str, Any], saved: Saved
    ) -> None:
        """An exchange never spans two sessions, and may lack the user's side."""
        chat["sessions"].append({"messages": [{"role": "assistant", "content": "Welcome back."}]})
        (loaded,) = load_transcripts(saved(chat))
        assert texts_of(loaded)[-1] == ["Welcome back."]
        assert loaded.exchanges[-1].user_text is None
        assert loaded.exchanges[-1].date is None

    def test_questions_that_cannot_be_measured_are_counted(self, chat: dict[str, Any], saved: Saved) -> None:
        """Adversarial ones, and those whose citations name nothing, are left out."""
        chat["questions"].append({"question": "Why?", "evidence": ["9z", "9z"]})
        (loaded,) = load_transcripts(saved(chat))
        assert (len(loaded.measured), loaded.adversarial, loaded.without_evidence) == (2, 1, 1)
        assert loaded.unusable_evidence == ("9z",)

    def test_what_a_correction_corrects_is_cited_like_evidence(self, chat: dict[str, Any], saved: Saved) -> None:
        """By id or place, each once; a citation of nothing is told."""
        chat["questions"][0]["stale"] = ["2a", "2a", "9z"]
        (loaded,) = load_transcripts(saved(chat))
        assert loaded.questions[0].stale == ("I live in Oslo, by the river.",)
        assert loaded.unusable_evidence == ("9z",)

    @pytest.mark.parametrize(("language", "questions", "stale"), [("en", 76, 13), ("zh", 62, 11)])
    def test_the_bundled_conversations_have_evidence_for_all_their_questions(
        self, language: str, questions: int, stale: int
    ) -> None:
        """What comes with the package needs no excuse."""
        (sample,) = sample_transcripts(language)
        assert len(sample.measured) == len(sample.questions) == questions
        assert sample.unusable_evidence == ()
        assert sum(bool(question.stale) for question in sample.questions) == stale
        assert all(question.answer for question in sample.questions)
        assert sample.exchanges[0].user_text is not None

    def test_a_language_that_no_bundled_conversation_has_is_named_with_those_that_are_there(self) -> None:
        """The error says what would be right."""
        with pytest.raises(OptionError, match="'fr'; there are: en, zh"):
            sample_transcripts("fr")


class TestOpenAIMessages:
    """A list of chat messages, or an object around it."""

    @pytest.mark.parametrize("content", [_CHAT, {"messages": _CHAT}], ids=["list", "object"])
    def test_an_exchange_begins_with_each_user_message(self, content: Any, saved: Saved) -> None:
        """Instructions ahead of it belong to it: nobody answers them."""
        (loaded,) = load_transcripts(saved(content))
        assert [len(exchange.messages) for exchange in loaded.exchanges] == [3, 1, 1]
        assert [exchange.user_text for exchange in loaded.exchanges] == ["hi", "are you there?", "well?"]
        assert (loaded.title, loaded.user, loaded.assistant) == ("chat", "Human", "AI")

    def test_evidence_is_a_place_from_0_or_an_id(self, saved: Saved) -> None:
        """Numbers are places as long as ids are no numbers."""
        question = {"question": "?", "evidence": [1, "greeting", 4]}
        (loaded,) = load_transcripts(saved({"messages": _CHAT, "questions": [question]}))
        assert loaded.questions[0].evidence == ("hi", "hello", "well?")

    def test_numbers_are_ids_where_ids_are_numbers(self, saved: Saved) -> None:
        """A number never means two things."""
        chat = [{"id": number, "role": "user", "content": f"message {number}"} for number in (1, 2)]
        (loaded,) = load_transcripts(saved({"messages": chat, "questions": [{"question": "?", "evidence": [1, 0]}]}))
        assert loaded.questions[0].evidence == ("message 1",)
        assert loaded.unusable_evidence == ("0",)

    def test_tool_calls_stay_with_their_exchange(self, saved: Saved) -> None:
        """Messages of all roles are kept as they are."""
        call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        chat = [
            {"role": "user", "content": "look"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "a cat"},
        ]
        (loaded,) = load_transcripts(saved(chat))
        assert list(loaded.exchanges[0].messages) == chat

    def test_half_an_emoji_is_replaced(self, saved: Saved) -> None:
        """What could not be written into a report is not let in."""
        (loaded,) = load_transcripts(saved('[{"role": "user", "content": "cut \\ud83d off, \\ud83d\\ude00"}]'))
        assert loaded.exchanges[0].user_text == "cut ? off, 😀"


class TestJSONLines:
    """A message or a conversation on each line."""

    def test_a_message_on_each_line_is_one_conversation(self, saved: Saved) -> None:
        """Blank lines do not matter, and neither does U+2028 within a text."""
        lines = "\n\n".join(json.dumps(message) for message in _CHAT) + '\n{"role": "user", "content": "a\u2028b"}\n'
        (loaded,) = load_transcripts(saved(lines, "log.jsonl"))
        assert len(loaded.exchanges) == 4
        assert loaded.title == "log"

    def test_a_conversation_on_each_line_is_as_many_conversations(self, saved: Saved) -> None:
        """They are numbered unless they have titles."""
        lines = [{"messages": _CHAT}, {"messages": _CHAT[1:3], "title": "second"}]
        loaded = load_transcripts(saved("\n".join(map(json.dumps, lines)), "log.jsonl"))
        assert [one.title for one in loaded] == ["log 1", "second"]

    def test_one_line_is_enough(self, saved: Saved) -> None:
        """A file with one message is a conversation, however short."""
        (loaded,) = load_transcripts(saved('{"role": "user", "content": "hi"}'))
        assert texts_of(loaded) == [["hi"]]


_WRONG: list[tuple[Any, str]] = [
    ("", "chat.json is empty"),
    ("[]", "chat.json is an empty list"),
    ("{", "chat.json, line 1: this is not JSON"),
    ('[\n {"role": "user",\n]', "chat.json, item 0: this is not JSON"),
    ("[" * 100_000 + "]" * 100_000, "chat.json, item 0: this is not JSON (nested too deeply)"),
    ('"hello"', "chat.json is in none of the known formats"),
    ("[1]", "chat.json, item 0 is in none of the known formats: it contains 1"),
    ({"turns": []}, "its keys are 'turns'"),
    ({}, "it contains {}; `memzoo compare --formats` lists them"),
    ({"messages": []}, "there is no message in it"),
    ({"messages": "hi"}, "chat.json, 'messages': expected a list, not 'hi'"),
    ({"messages": [{"role": "king", "content": "a"}]}, "chat.json, message 1: role 'king' is unknown"),
    ([{"role": "user", "content": "a"}, {"role": "user"}], "chat.json, message 2: the content of a user message"),
    ('{"role": "user", "content": "a"}\n{"role": "x"}', "chat.json, message 2: role 'x' is unknown"),
    ({"sessions": [3]}, "chat.json, session 0: expected a session with 'date' and 'messages', not 3"),
    ({"sessions": [{"messages": [{}]}]}, "chat.json, session 0, message 0: role None is unknown"),
    (
        {"sessions": [{"date": "soon", "messages": []}]},
        "chat.json, session 0, 'date': expected a date such as '2026-03-02T09:15:00+00:00', not 'soon'",
    ),
    ({"messages": _CHAT, "user": 7}, "chat.json, 'user': expected a text that is not empty, not 7"),
    ({"messages": _CHAT, "questions": ["?"]}, "question 0: expected a question with"),
    (
        {"messages": _CHAT, "questions": [{"q": "?"}]},
        "question 0, 'question': expected a text that is not empty; it is missing (there are: 'q')",
    ),
    (
        {"messages": _CHAT, "questions": [{"question": "?", "evidence": 3}]},
        "question 0, 'evidence': expected a list, not 3",
    ),
    (
        {"messages": _CHAT, "questions": [{"question": "?", "evidence": [[]]}]},
        "question 0, evidence 0: expected the 'id' of a message or its place from 0, not []",
    ),
]


@pytest.mark.parametrize(("content", "expected"), _WRONG)
def test_what_cannot_be_understood_is_named_with_its_place(content: Any, expected: str, saved: Saved) -> None:
    """Each error names the file, the place in it, and what would be right."""
    with pytest.raises(TransferError) as caught:
        load_transcripts(saved(content))
    assert expected in str(caught.value)


def test_a_file_that_cannot_be_read_is_a_transcript_error(tmp_path: Path) -> None:
    """A missing file and a file that is no text are named."""
    (tmp_path / "latin.json").write_bytes(b'"caf\xe9"')
    for name in ("missing.json", "latin.json"):
        with pytest.raises(TransferError, match=f"{name} cannot be read"):
            load_transcripts(tmp_path / name)
