"""What is answered where no task is set."""

from typing import Any

import pytest
from openai import OpenAI

from memzoo.memories.models.offline.answers import CANNOT


def said(client: OpenAI, *messages: tuple[str, str]) -> str | None:
    """The answer to a chat of (role, text)."""
    chat: list[Any] = [{"role": role, "content": text} for role, text in messages]
    return client.chat.completions.create(model="any", messages=chat).choices[0].message.content


def test_quotes_what_fits_the_question(client: OpenAI) -> None:
    """The sentence that shares the telling words is quoted, from any message, with a sign that it is a quotation."""
    history = "Human: My sister Anna lives in Oslo.\nAI: How nice.\nHuman: My dog Rex likes cheese."
    answer = said(client, ("system", f"What was said before:\n{history}"), ("user", "Where does my sister live?"))
    assert answer == "From what was said: Human: My sister Anna lives in Oslo."


def test_prefers_the_newest_of_equals(client: OpenAI) -> None:
    """Of two sentences that fit alike, both or the newer one are quoted."""
    answer = said(client, ("user", "My code is 1."), ("user", "My code is 2."), ("user", "What is my code?"))
    assert answer == "From what was said: My code is 1. My code is 2."


def test_an_earlier_sentence_of_the_same_message_counts(client: OpenAI) -> None:
    """What a message says before its question may answer it."""
    assert said(client, ("user", "I like tea. What do I like?")) == "From what was said: I like tea."


@pytest.mark.parametrize(
    "messages",
    [
        [("user", "Hello!")],
        [("user", "I like tea."), ("user", "Who won the match?")],
        [("user", "")],
        [("system", "Be brief.")],
        [("assistant", "Hi.")],
    ],
)
def test_says_plainly_what_it_cannot_do(client: OpenAI, messages: list[tuple[str, str]]) -> None:
    """Without a fitting sentence it says that it can only quote."""
    assert said(client, *messages) == CANNOT


def test_questions_are_not_answers(client: OpenAI) -> None:
    """A question asked before is not quoted as an answer to it."""
    assert said(client, ("user", "Where is my red bike?"), ("user", "Where is my red bike?")) == CANNOT


def test_an_unknown_task_is_a_chat(client: OpenAI) -> None:
    """A task that memzoo does not have is answered like any other message."""
    assert (
        said(client, ("user", "Task: translation.\nI like tea.\nWhat do I like?")) == "From what was said: I like tea."
    )


def test_the_task_must_be_the_first_line_of_the_last_user_message(client: OpenAI) -> None:
    """A task elsewhere is only text."""
    task = "Task: summary.\n<new_lines>\nHuman: I moved to Oslo.\n</new_lines>"
    assert said(client, ("user", task)) == "Human said: I moved to Oslo."
    assert said(client, ("user", f"Look:\n{task}")) != "Human said: I moved to Oslo."
    assert said(client, ("user", task), ("user", "Hello!")) == CANNOT
