"""What is answered where no task is set: the conversations of a chatbot with a memory."""

from typing import Any

import pytest
from openai import OpenAI

from memzoo.memories import Conversation, create_memory
from memzoo.memories.models.offline.answers import CANNOT

OFFLINE: dict[str, Any] = {"llm": "offline"}
TRANSLATE = "Translate this sentence from English to French: I love programming."
NEMO = [("user", "Hey there! I'm Nemo."), ("assistant", "Hello!"), ("user", "How are you?"), ("assistant", "Fine!")]


def said(client: OpenAI, *messages: tuple[str, str]) -> str:
    """The answer to a chat of (role, text)."""
    chat: list[Any] = [{"role": role, "content": text} for role, text in messages]
    return client.chat.completions.create(model="any", messages=chat).choices[0].message.content or ""


@pytest.mark.parametrize(
    "question", ["What is my name?", "What's my name?", "Who am I?", "What did I say my name was?"]
)
def test_knows_the_users_name(client: OpenAI, question: str) -> None:
    """The user's name is known from their own words, and from a memory shown as text."""
    assert said(client, *NEMO, ("user", question)) == "Your name is Nemo."
    for shown in ("Human: Hi! I'm Nemo.\nAI: I'm Clara.", "Human said: I'm Nemo. I live at sea."):
        assert said(client, ("system", shown), ("user", question)) == "Your name is Nemo."
    assert said(client, *NEMO[2:], ("user", question)) == CANNOT


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What did you just say?", 'I said: "J\'adore la programmation."'),
        ("What was your last answer?", 'I said: "J\'adore la programmation."'),
        ("Can you repeat what you said?", 'I said: "J\'adore la programmation."'),
        ("What did I just ask you?", f'You asked: "{TRANSLATE}"'),
        ("What was my last question?", f'You asked: "{TRANSLATE}"'),
        ("what did I just say?", f'You said: "{TRANSLATE}"'),
        ("What was my first question?", 'You asked: "Can you help me?"'),
        ("What was the first thing I said?", 'You said: "Hi."'),
    ],
)
def test_tells_what_was_said_and_asked(client: OpenAI, question: str, answer: str) -> None:
    """Questions about the talk itself are answered with the message in question, word for word."""
    talk = [("user", "Hi."), ("assistant", "Hello."), ("user", "Can you help me?"), ("assistant", "Yes.")]
    talk += [("user", TRANSLATE), ("assistant", "J'adore la programmation.")]
    assert said(client, *talk, ("user", question)) == answer


@pytest.mark.parametrize("memory", ["buffer", "summary-buffer", "window"])
def test_a_conversation_with_a_memory(memory: str) -> None:
    """With a memory of this library it keeps a conversation, and says only once what it is."""
    options = {} if memory in {"buffer", "window"} else OFFLINE
    kept = create_memory(memory, token_counter="approximate", **options)
    conversation = Conversation("offline", kept)

    def talk(user: str) -> str:
        return conversation.send(user)

    assert talk("Hi! I'm Nemo.") == "Noted."
    assert talk(TRANSLATE) == CANNOT
    assert talk("What did you just say?") == f'I said: "{CANNOT}"'
    assert talk("Why is the sky blue?") == "Nothing said so far answers that."
    assert talk("What is my name?") == "Your name is Nemo."
    assert talk("What did I just ask you?") == 'You asked: "What is my name?"'


def test_excuses_are_no_facts(client: OpenAI) -> None:
    """What it said for want of an answer is never quoted as if it were one."""
    talk = [("user", "What does ChatModel quote?"), ("assistant", CANNOT)]
    assert said(client, *talk, ("user", "Which real model can quote?")) == "Nothing said so far answers that."
    assert 'ChatModel("' in CANNOT


def test_summarises_a_chat_on_request(client: OpenAI) -> None:
    """A chat can be asked to become a summary, which then serves as memory."""
    request = ("user", "Distill the above chat messages into a single summary message.")
    summary = said(client, *NEMO, request)
    assert summary == "user said: I'm Nemo."
    assert said(client, ("assistant", summary), ("user", "What is my name?")) == "Your name is Nemo."


def test_quotes_what_fits_the_question(client: OpenAI) -> None:
    """The sentence that shares the telling words is quoted, from any message; of equals, the newest is among them."""
    history = "Human: My sister Anna lives in Oslo.\nAI: How nice.\nHuman: My dog Rex likes cheese."
    answer = said(client, ("system", f"What was said before:\n{history}"), ("user", "Where does my sister live?"))
    assert answer == "From what was said: My sister Anna lives in Oslo."
    codes = [("user", "My code is 1."), ("user", "My code is 2."), ("user", "What is my code?")]
    assert said(client, *codes) == "From what was said: My code is 1. My code is 2."
    assert said(client, ("user", "I like tea. What do I like?")) == "From what was said: I like tea."


def test_what_a_note_quotes_is_said_once() -> None:
    """An entity memory shows a message and the note that was made of it."""
    conversation = Conversation("offline", "entity", token_counter="approximate")
    conversation.send("My sister Anna lives in Oslo.")
    assert conversation.send("Where does Anna live?") == "From what was said: My sister Anna lives in Oslo."


def test_questions_are_not_answers(client: OpenAI) -> None:
    """A question asked before is not quoted as an answer to it."""
    assert said(client, ("user", "Where is my red bike?"), ("user", "Where is my red bike?")) == CANNOT


def test_the_task_must_be_the_first_line_of_the_last_user_message(client: OpenAI) -> None:
    """A task elsewhere is only text, and so is an unknown one."""
    task = "Task: summary.\n<new_lines>\nHuman: I moved to Oslo.\n</new_lines>"
    assert said(client, ("user", task)) == "Human said: I moved to Oslo."
    assert said(client, ("user", task), ("user", "Hello!")) == "Noted."
    assert said(client, ("user", "Task: cooking.\nI like tea.\nWhat do I like?")) == "From what was said: I like tea."
