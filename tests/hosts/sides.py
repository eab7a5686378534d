"""The two sides that are compared: LangChain's classes, and memzoo's in their place."""

import warnings
from types import ModuleType
from typing import Any

import memzoo.langchain

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import langchain_classic.memory as theirs
    from langchain_community.chat_message_histories import FileChatMessageHistory, SQLChatMessageHistory
    from langchain_community.graphs.networkx_graph import KnowledgeTriple as TheirTriple
    from langchain_community.graphs.networkx_graph import NetworkxEntityGraph
    from langchain_community.memory.kg import ConversationKGMemory
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.language_models.fake import FakeListLLM

__all__ = [
    "SIDES",
    "FileChatMessageHistory",
    "NetworkxEntityGraph",
    "SQLChatMessageHistory",
    "TheirTriple",
    "WordsModel",
    "answering",
    "chatting",
    "made",
    "scripted",
    "theirs",
]

SIDES: dict[str, ModuleType] = {"langchain": theirs, "memzoo": memzoo.langchain}


def made(side: str, name: str, **options: Any) -> Any:
    """A memory of one side."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cls: Any = ConversationKGMemory if (side, name[-8:]) == ("langchain", "KGMemory") else None
        return (cls or getattr(SIDES[side], name))(**options)


class WordsModel(FakeListLLM):
    """A model of LangChain that answers from a list, keeps what it was asked, and counts words."""

    asked: list[str] = []  # noqa: RUF012 - pydantic copies it

    def _call(self, prompt: str, *args: Any, **options: Any) -> str:
        self.asked.append(prompt)
        return super()._call(prompt, *args, **options)

    def get_num_tokens(self, text: str) -> int:
        """Words are its tokens."""
        return len(text.split())


class Talker(FakeListChatModel):
    """A chat model of LangChain that answers from a list and counts words."""

    def get_num_tokens(self, text: str) -> int:
        """Words are its tokens."""
        return len(text.split())


def answering(*replies: str) -> WordsModel:
    """A text model with these answers."""
    return WordsModel(responses=list(replies))


def chatting(*replies: str) -> FakeListChatModel:
    """A chat model with these answers."""
    return FakeListChatModel(responses=list(replies))


class Scripted:
    """A function as a model, with these answers; it keeps what it was asked."""

    def __init__(self, *replies: str) -> None:
        """Answer with these."""
        self._replies = iter(replies)
        self.asked: list[str] = []

    def __call__(self, messages: list[dict[str, Any]]) -> str:
        """Answer the messages."""
        self.asked.append("\n\n".join(message["content"] for message in messages))
        return next(self._replies)


def scripted(*replies: str) -> Scripted:
    """A function as a model, with these answers."""
    return Scripted(*replies)
