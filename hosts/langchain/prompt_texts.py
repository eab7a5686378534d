"""The prompts of a chain, worded by memzoo, with LangChain's variables and roles."""

import string
from dataclasses import dataclass
from typing import Any

from memzoo.hosts.langchain.messages import has_langchain

_BEGIN = "You talk with a human. You are friendly and helpful, and say so when you do not know something.\n\n"
_NOTES = "What you know about those who were mentioned:\n{entities}\n\n"
_END = "The conversation so far:\n{history}\nHuman: {input}\nAI:"


@dataclass
class TextPrompt:
    """A prompt with the attributes of LangChain's prompts, for programs without langchain-core.

    Attributes:
        template: A text with variables in braces.
    """

    template: str

    @property
    def input_variables(self) -> list[str]:
        """The names of the variables in the text, sorted."""
        return sorted({field for _, field, _, _ in string.Formatter().parse(self.template) if field is not None})

    def format(self, **values: Any) -> str:
        """Return the text with values for its variables."""
        return self.template.format(**values)


def prompt_of(prompt: Any) -> Any:
    """Return a prompt made from a text: LangChain's `PromptTemplate`, or without langchain-core a `TextPrompt`.

    A value that is not a text is returned unchanged.
    """
    if not isinstance(prompt, str):
        return prompt
    if not has_langchain():
        return TextPrompt(prompt)
    from langchain_core.prompts import PromptTemplate

    return PromptTemplate.from_template(prompt)


def conversation_prompt() -> Any:
    """Return the default prompt of a chain: one user message, with `history` and `input`."""
    return prompt_of(f"{_BEGIN}{_END}")


def entity_prompt() -> Any:
    """Return a prompt for a chain with an entity memory, with the variable `entities`."""
    return prompt_of(f"{_BEGIN}{_NOTES}{_END}")
