"""A model's thoughts at the beginning of its message are kept apart: neither shown as words nor learnt."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from memzoo.hosts.exports import ChatLog
from memzoo.hosts.exports.readers.chat_messages import read_object
from memzoo.memories import STRATEGIES, create_memory
from memzoo.memories.models.cleaning import split_answer
from memzoo.memories.text.thoughts import THOUGHT_FIELDS, Speech, extract_thoughts, name_thoughts
from memzoo.stores import EncryptedStore, Message, open_store

THOUGHT = "Bob Miller may be lying about the merger."
TAGGED = f"<think>\n{THOUGHT}\n</think>\n\nBob is your boss."
APART: Message = {"role": "assistant", "content": "Bob is your boss.", "reasoning_content": THOUGHT}


@pytest.mark.parametrize(
    ("text", "thoughts", "words"),
    [
        ("<think>Hm.</think>Yes.", "Hm.", "Yes."),
        ("\n <THINKING mode='x'>Hm.</THINKING>\nYes.", "Hm.", "Yes."),
        ("<think></think>\n\nYes.", "", "Yes."),
        ("<think>A.</think>\n<thought>B.</thought>\nYes.", "A.\n\nB.", "Yes."),
        ("[THINK]Hm.[/THINK]Yes.", "Hm.", "Yes."),
        ("◁think▷Hm.◁/think▷Yes.", "Hm.", "Yes."),
        ("<seed:think>Hm.</seed:think>Yes.", "Hm.", "Yes."),
        ("<mm:think>Hm.</mm:think>Yes.", "Hm.", "Yes."),
        ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", "Hm.", "Yes."),
        ("<think>`</think>` ends it.</think>Yes.", "`</think>` ends it.", "Yes."),
        ('<think>She said "hi"</think>Yes.', 'She said "hi"', "Yes."),
        ("<think>Hm.</think>`Yes` it is.", "Hm.", "`Yes` it is."),
        ("<think>Hm.</think>", "Hm.", ""),
    ],
)
def test_thoughts_are_found(text: str, thoughts: str, words: str) -> None:
    """As models and chat templates write them, once or several times."""
    assert extract_thoughts(text) == (thoughts, words)


SPOKEN = [
    "The template:\n```\n<s>[INST] Hi [/INST]\n```\nUse it well.",
    "That is <s>wrong</s>",
    "ChatML ends a turn with <|im_end|>\nand begins it with <|im_start|>, then the role.",
    "<think> is the tag that opens a thought.",
    "Sure:\n~~~\n</think>\n~~~\nThat ends it.",
]


@pytest.mark.parametrize("text", SPOKEN)
def test_an_answer_about_marks_is_whole(text: str) -> None:
    """Words about the marks of thoughts and of chat templates are words, in pieces as well."""
    assert split_answer(text) == ("", text)
    speech = Speech()
    assert "".join([*map(speech.add, text), speech.end()]) == text


@pytest.mark.parametrize("text", ["Yes.<|im_end|>\n<|im_start|>user\nAnd?", "<s> Yes.</s>", "assistant<|im_end|>"])
def test_the_marks_around_an_answer_go(text: str) -> None:
    """A chat template's marks at the end of an answer, and another's turn behind them, are no words."""
    assert split_answer(text)[1] in {"Yes.", "assistant"}


def test_thoughts_find_a_name_or_join_the_last() -> None:
    """A message that has thoughts under each name keeps all of them."""
    held: dict[str, Any] = dict.fromkeys(THOUGHT_FIELDS, "Before.")
    assert name_thoughts({"role": "assistant", **held}, "Hm.") == {"thoughts": "Before.\n\nHm."}


UNTOUCHED = [
    "Yes. <think>Hm.</think>",
    "<think>Hm. It never ends",
    "`<think>Hm.</think>` is how it thinks.",
    "```\n<think>Hm.</think>\n```",
    "    <think>Hm.</think>\n\nis code.",
    "> <think>Hm.</think>",
    '"<think>Hm.</think>" is a quotation.',
    "<think> begins a thought and `</think>` ends it.",
    "Hm.\n</think>\n\nYes.",
    "<thinking>Hm.</think>Yes.",
    "<analysis>Sales grew.</analysis>",
]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_a_mark_that_is_mentioned_stays(text: str) -> None:
    """In code, in a quotation, behind words or without its other half, a mark belongs to the words."""
    assert extract_thoughts(text) == ("", text)
    memory = create_memory("buffer")
    memory.save_context({"input": TAGGED}, {"output": text})
    assert memory.history() == [{"role": "user", "content": TAGGED}, {"role": "assistant", "content": text}]


@example(["<think>", "Hm", "</think>"])
@given(some.lists(some.sampled_from(["<think>", "</think>", "<", "`", "Hm", " ", "\n", "[THINK]", "[/THINK]", "x>"])))
def test_pieces_say_what_the_whole_says(pieces: list[str]) -> None:
    """However an answer is cut into pieces, its words are those of the whole; thoughts that never end are not said."""
    whole = "".join(pieces)
    for size in (1, 3, len(whole) or 1):
        speech = Speech()
        said = [speech.add(whole[place : place + size]) for place in range(0, len(whole), size)]
        words = "".join([*said, speech.end()])
        assert words in (extract_thoughts(whole)[1], "")
        assert words or not extract_thoughts(whole)[1] or "<think>" in whole or "[THINK]" in whole


def test_saved_thoughts_are_apart() -> None:
    """However a message is saved, the log has its thoughts in a member, and the view has its words."""
    memory = create_memory("buffer")
    memory.save_context({"input": "Who is Bob?"}, {"output": TAGGED})
    memory.add_messages([{"role": "user", "content": "Who?"}, {"role": "assistant", "content": TAGGED}])
    parts = [{"type": "text", "text": TAGGED}, {"type": "text", "text": "Really."}]
    memory.add_messages([{"role": "user", "content": "Who?"}, {"role": "assistant", "content": parts}])
    first, second, third = (one for one in memory.history() if one["role"] == "assistant")
    assert first == second == APART
    assert third == {**APART, "content": [{"type": "text", "text": APART["content"]}, parts[1]]}
    assert "lying" not in str(memory.messages()) + str(memory.request("And now?"))
    assert "lying" not in memory.load_memory_variables({})["history"]


def test_own_thoughts_stay_beside_those_of_the_text() -> None:
    """A message that has thoughts in a member keeps them, whatever stands in its text."""
    memory = create_memory("buffer")
    said: Message = {"role": "assistant", "content": TAGGED, "reasoning_content": "First.", "id": "x"}
    memory.add_messages([{"role": "user", "content": "Who?"}, said])
    assert memory.history()[1] == {**said, "content": APART["content"], "reasoning": THOUGHT}


def test_parts_of_thoughts_are_no_words() -> None:
    """Thoughts that are parts of a content stay in the log, and are neither shown nor told."""
    memory = create_memory("buffer")
    thinking = {"type": "thinking", "thinking": THOUGHT, "signature": "s"}
    said: Message = {"role": "assistant", "content": [thinking, {"type": "text", "text": "Bob is your boss."}]}
    memory.add_messages([{"role": "user", "content": "Who?"}, said])
    assert memory.history()[1] == said
    assert memory.messages()[1]["content"] == said["content"][1:]
    assert memory.load_memory_variables({})["history"] == "Human: Who?\nAI: Bob is your boss."


@pytest.mark.parametrize("name", STRATEGIES)
def test_thoughts_are_not_learnt(name: str) -> None:
    """No note, summary, fact or search result comes of a thought, and no model is asked about one."""
    asked: list[str] = []

    def answer(messages: list[Message]) -> str:
        asked.append(str(messages))
        return "NONE"

    memory = create_memory(name, llm=answer, learn_every=1)
    memory.save_context({"input": "Who is Bob?"}, {"output": TAGGED})
    memory.save_context({"input": "Is Bob Miller lying about the merger?"}, {"output": "No."})
    assert THOUGHT not in str(memory.messages("Is Bob Miller lying?")) + "".join(asked)


def test_imported_thoughts_are_apart() -> None:
    """What other programs have stored is read alike; members with thoughts are kept."""
    said = [
        {"role": "user", "content": "Who is Bob?"},
        {"role": "assistant", "content": TAGGED},
        {"role": "assistant", "content": "Your boss.", "reasoning_content": "Hm."},
    ]
    [log] = read_object(json.loads(json.dumps({"messages": said})), "talk")
    assert isinstance(log, ChatLog)
    assert list(log.messages[1:]) == [APART, said[2]]


def test_thoughts_are_words_to_redaction_and_encryption(tmp_path: Path) -> None:
    """They are redacted and encrypted like words; signatures, which nobody can read, stay whole."""
    signature = "Ej4KPAgM1234567812345678" * 4
    details = [{"type": "reasoning.text", "text": "Card 12345678.", "signature": signature}]
    details += [{"type": "reasoning.encrypted", "data": signature}]
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    call |= {"extra_content": {"google": {"thought_signature": signature}}}
    said: Message = {"role": "assistant", "content": "Ok.", "reasoning_content": "Card 12345678.", "tool_calls": [call]}
    store = EncryptedStore(open_store(f"sqlite:///{tmp_path / 'a.db'}"), EncryptedStore.new_key())
    memory = create_memory("buffer", store=store, redact={"card": r"\d{8}"})
    memory.add_messages([{"role": "user", "content": "Hi"}, said | {"reasoning_details": details}])
    kept = memory.history()[1]
    assert kept["reasoning_content"] == kept["reasoning_details"][0]["text"] == "Card [card]."
    assert kept["tool_calls"] == [call]
    assert [one.get("signature", one.get("data")) for one in kept["reasoning_details"]] == [signature] * 2
    assert b"Card" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    store.close()
