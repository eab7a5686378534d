"""Families of endpoints: the form of request that each family accepts, as data, and the names that tell the family."""

import re
from dataclasses import dataclass
from typing import Literal

from memzoo.errors import OptionError

__all__ = ["FAMILIES", "Family", "family_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """The form of request that a family of endpoints accepts.

    Every family gets the strictest order that loses nothing (see `text.order`). The attributes say what a family
    demands beyond that order.

    Attributes:
        system_role: The role of the system message; "" to put the system text into the first user message.
        call_ids: A regular expression for the ids of tool calls; "" for any id. Other ids are rewritten as nine letters
            and digits, the same in every request.
        parallel_calls: False to send each call of an answer in a message of its own, with its result behind it.
        calls_as_text: True to tell calls and their results in words.
    """

    system_role: Literal["system", "developer", ""] = "system"
    call_ids: str = ""
    parallel_calls: bool = True
    calls_as_text: bool = False


FAMILIES: dict[str, Family] = {
    "any": Family(),
    "developer": Family(system_role="developer"),
    # mistral-common 1.13.1, before its version 13: "Tool call id was ... but must be a-z, A-Z, 0-9, with length 9".
    "mistral": Family(call_ids=r"[a-zA-Z0-9]{9}"),
    # Templates of Llama 3.1 and 3.2: "This model only supports single tool-calls at once!"; gpt-oss drops the second.
    "llama": Family(parallel_calls=False),
    # Templates of Gemma 1 and 2: "System role not supported"; Phi-3's first drops the system text without a word.
    "no-system": Family(system_role="", calls_as_text=True),
    # Templates of Phi-3.5, Phi-4, DeepSeek V2 and Granite 3.0 drop calls and results without a word.
    "no-tools": Family(calls_as_text=True),
}
"""The families by name. "any" is the form for all endpoints that no rule in `_RULES` names."""

# Rules to find the family: a regular expression for the host and model, such as "api.mistral.ai mistral-large-latest",
# and the family. The first match counts. A wrong match costs tokens, never an error.
_RULES: tuple[tuple[str, str], ...] = (
    (r"gemma-?(2\b|1|[27]b)|phi-?3-(mini|medium)|orion|yandexgpt|granite-20b", "no-system"),
    (r"phi-?(3|4)|deepseek-(coder-)?v2\b|granite-3\.0", "no-tools"),
    (r"mi[sx]tral|ministral|codestral|devstral|magistral|pixtral", "mistral"),
    (r"llama-?3|gpt-oss", "llama"),
)


def family_of(model: str = "", base_url: str = "", given: Family | str | None = None) -> Family:
    """Return the family of an endpoint.

    Args:
        model: The model's name, or the path of the model's file that a local server tells.
        base_url: The endpoint's address.
        given: A family or its name, which counts before all else.

    Raises:
        OptionError: No family has the given name.

    Example:
        >>> family_of("mistralai/Mistral-Nemo-Instruct-2407").call_ids
        '[a-zA-Z0-9]{9}'
        >>> family_of("gpt-4o-mini") == family_of("a-model-of-my-own") == Family()
        True
    """
    if isinstance(given, Family):
        return given
    if given is not None:
        if given not in FAMILIES:
            raise OptionError(f"family must be a Family or one of {', '.join(FAMILIES)}, not {given!r}")
        return FAMILIES[given]
    host = re.sub(r"^\w+://|[/:].*", "", base_url.partition("://")[2] or base_url)
    told = f"{host} {model}".lower()
    return FAMILIES[next((name for rule, name in _RULES if re.search(rule, told)), "any")]
