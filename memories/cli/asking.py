"""The options of every command that asks a model, declared once."""

import dataclasses
import os
import re
from typing import Annotated, Any

import typer

from memzoo.memories.base import BaseMemory
from memzoo.memories.models.chat import ChatModel
from memzoo.memories.registry import create_memory, strategy_named
from memzoo.memories.strategies.model_backed import ModelBackedMemory
from memzoo.memories.text.tokens import token_counter
from memzoo.stores.common import redacted
from memzoo.stores.errors import OptionError

__all__ = ["Asked", "Counter", "counter_name"]

_NO_KEY = (
    "model {!r} needs a key: set OPENAI_API_KEY (to any text, for a server that asks for none), or take --model offline"
)

Counter = Annotated[
    str | None,
    typer.Option(
        "--token-counter",
        help="What counts tokens: a model's or encoding's name for tiktoken, or 'approximate' (characters / 4), which "
        "is the default with the offline model.",
    ),
]


@dataclasses.dataclass(frozen=True)
class Asked:
    """The model that a command asks, as the command line names it."""

    model: Annotated[str, typer.Option(help="A model of your endpoint (OPENAI_API_KEY), or 'offline'.")] = "offline"
    base_url: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible endpoint; by default OPENAI_BASE_URL, or else OpenAI.")
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="The most tokens of a reply. What is learnt needs whole replies.")
    ] = None
    temperature: Annotated[float | None, typer.Option(min=0, max=2, help="0 for the likeliest words.")] = None
    timeout: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds to wait for the endpoint, in each of three tries.")
    ] = None

    def made(self) -> ChatModel:
        """The model; raises as `check` does."""
        self.check(self.model)
        return self.named(self.model)

    def named(self, name: str) -> ChatModel:
        """Another model, at the same endpoint and with the same limits."""
        parameters = {self._limit(): self.max_tokens, "temperature": self.temperature, "timeout": self.timeout}
        given: dict[str, Any] = {name: value for name, value in parameters.items() if value is not None}
        return ChatModel(name, base_url=self.base_url, **given)

    def memory(self, name: str, counter: str | None, **options: Any) -> BaseMemory:
        """A memory by the name of its strategy, which this model serves if the strategy asks one."""
        if issubclass(strategy_named(name), ModelBackedMemory):
            options["llm"] = self.made()
        return create_memory(name, token_counter=counter_name(counter, self.model), **options)

    def _limit(self) -> str:
        """OpenAI's newer models refuse the name that all other servers know."""
        openais = "api.openai.com" in (self._endpoint() or "api.openai.com")
        return "max_completion_tokens" if openais else "max_tokens"

    def _endpoint(self) -> str:
        return self.base_url or os.environ.get("OPENAI_BASE_URL", "")

    def check(self, name: str) -> None:
        """See whether a model can be asked.

        Raises:
            OptionError: The endpoint is no URL, or the key is missing.
        """
        if name != "offline" or self.base_url:
            self._check(name)

    def _check(self, name: str) -> None:
        import openai

        url = self._endpoint()
        wrong = OptionError(
            f"--base-url (or OPENAI_BASE_URL) must be like http://127.0.0.1:8080/v1, not {redacted(url)!r}"
        )
        if not re.match("https?://.|$", url):
            raise wrong
        try:
            openai.OpenAI(base_url=self.base_url).close()
        except openai.OpenAIError as error:
            raise OptionError(_NO_KEY.format(name)) from error
        except Exception as error:  # of the transport below openai, which has several
            raise wrong from error


def counter_name(chosen: str | None, model: str) -> str:
    """What counts tokens in a command: what was chosen, or what fits the model. Nothing needs a download offline."""
    return chosen or ("approximate" if model == "offline" else token_counter(None, model).name)
