"""Families of endpoints, such as Mistral's: the form in which each family accepts requests, and its models' names."""

import re
from dataclasses import dataclass
from typing import Literal

from memzoo.errors import OptionError
from memzoo.text import did_you_mean


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """The form in which a family of endpoints, such as Mistral's, accepts requests.

    The order of the messages is the same for all families (see `memzoo.memories.text.order`).

    Attributes:
        system_role: The role of the system message; "" to put the system text into the first user message.
        call_ids: A regular expression for the ids of tool calls; "" for any id. Ids that do not match are rewritten as
            nine letters and digits.
        parallel_calls: False to send each call of an answer in a separate message, followed by its result.
        calls_as_text: True to describe calls and their results in words.
        returns: The keys of assistant messages, or of their tool calls, whose values the provider wants back unchanged
            in later requests.
        missing_thoughts: The `reasoning_content` to add to assistant messages without thoughts; "" to add none.
        missing_signature: The thought signature to add to the first call of an answer if none of the answer's calls has
            a signature; "" to add none.
        thoughts_in_words: True to send thoughts back at the beginning of the content, as "<think>...</think>".
    """

    system_role: Literal["system", "developer", ""] = "system"
    call_ids: str = ""
    parallel_calls: bool = True
    calls_as_text: bool = False
    returns: frozenset[str] = frozenset()
    missing_thoughts: str = ""
    missing_signature: str = ""
    thoughts_in_words: bool = False


ANY = Family()
"""The form for an unknown endpoint."""

_THOUGHTS = frozenset({"reasoning_content", "reasoning"})
_DETAILS = frozenset({"reasoning_details", "reasoning"})
_SIGNATURES = frozenset({"extra_content", "provider_specific_fields"})
_NO_THOUGHTS = "(no thoughts)"

FAMILIES: dict[str, Family] = {
    # Groq refuses other members ("property 'reasoning_content' is unsupported", May 2026), and so may others.
    "any": ANY,
    "developer": Family(system_role="developer"),
    # mistral-common 1.13.1, before its version 13: "Tool call id was ... but must be a-z, A-Z, 0-9, with length 9".
    "mistral": Family(call_ids=r"[a-zA-Z0-9]{9}"),
    # Templates of Llama 3.1 and 3.2: "This model only supports single tool-calls at once!"; gpt-oss and GigaChat 3 drop
    # the second.
    "llama": Family(parallel_calls=False),
    # OpenAI's guide "How to handle the raw chain of thought in gpt-oss" (2025): between calls the thoughts go back.
    "gpt-oss": Family(parallel_calls=False, returns=_THOUGHTS),
    # api-docs.deepseek.com, "Thinking Mode" (V4, June 2026): after a call, "must be fully passed back to the API in all
    # subsequent requests", else status 400; clients report the same of answers, and of calls without a thought.
    "deepseek": Family(returns=_THOUGHTS, missing_thoughts=_NO_THOUGHTS),
    # platform.moonshot.ai, "Using Thinking Models" (K2.5, K2.6, 2026): keep all thoughts in the context; status 400
    # ("reasoning_content is missing in assistant tool call message") without them, or with an empty text.
    "kimi": Family(returns=_THOUGHTS, missing_thoughts=_NO_THOUGHTS),
    # docs.z.ai, "Thinking Mode" (GLM 4.7 to 5.1, 2026): thoughts are "returned together with the tool results".
    "glm": Family(returns=_THOUGHTS),
    # platform.minimax.io, "Tool Use & Interleaved Thinking" (M2, M2.1): the whole answer goes back. The thoughts are
    # `reasoning_details` with reasoning_split, and stand as <think> in the content without it.
    "minimax": Family(returns=_DETAILS, thoughts_in_words=True),
    # openrouter.ai, "Reasoning Tokens" (June 2026): `reasoning_details` go back unchanged and in their order.
    "openrouter": Family(returns=_DETAILS),
    # ai.google.dev, "Thought signatures" (Gemini 3, 2026): the first call of each step must have its signature, else
    # status 400. The text that stands for a missing signature is the one that strands-agents sends (its PR 1298).
    "gemini": Family(returns=_SIGNATURES, missing_signature="skip_thought_signature_validator"),
    "gemini-2": Family(returns=_SIGNATURES),
    # Templates of Gemma 1 and 2: "System role not supported"; Phi-3's first drops the system text without a word.
    "no-system": Family(system_role="", calls_as_text=True),
    # Templates of Phi-3.5, Phi-4, DeepSeek V2 and Granite 3.0 drop calls and results without a word.
    "no-tools": Family(calls_as_text=True),
}
"""The families by name. "any" is the form for endpoints of an unknown family."""

# Rules to find the family: a regular expression for the host and model, such as "api.mistral.ai mistral-large-latest",
# and the family. The first match counts. A wrong match costs tokens, and is an error only where an endpoint refuses
# thoughts.
_RULES: tuple[tuple[str, str], ...] = (
    (r"^(\S*\.)?(groq\.com|cerebras\.ai|openai\.com|azure\.com|amazonaws\.com|anthropic\.com) ", "any"),
    (r"^(\S*\.)?openrouter\.ai ", "openrouter"),
    (r"gemma-?(2\b|1|[27]b)|phi-?3-(mini|medium)|orion|yandexgpt|granite-20b", "no-system"),
    (r"phi-?(3|4)|deepseek-(coder-)?v2\b|granite-3\.0", "no-tools"),
    (r"mi[sx]tral|ministral|codestral|devstral|magistral|pixtral", "mistral"),
    (r"gpt-oss", "gpt-oss"),
    (r"deepseek", "deepseek"),
    (r"kimi|moonshot", "kimi"),
    (r"\bglm-?[4-9]|\bz\.ai |bigmodel\.cn ", "glm"),
    (r"minimax", "minimax"),
    (r"gemini-[12]", "gemini-2"),
    (r"gemini", "gemini"),
    (r"llama-?3|gigachat-?3", "llama"),
)


def family_of(model: str = "", base_url: str = "", given: Family | str | None = None) -> Family:
    """Return the family of an endpoint.

    Args:
        model: The model's name, or the path of the model's file as reported by a local server.
        base_url: The endpoint's address.
        given: The family, or the name of the family; `None` to choose by `model` and `base_url`.

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
        if not isinstance(given, str) or given not in FAMILIES:  # pyright: ignore[reportUnnecessaryIsInstance]
            likely = did_you_mean(given, FAMILIES)
            raise OptionError(f"family must be a Family or one of {', '.join(FAMILIES)}, not {given!r}{likely}")
        return FAMILIES[given]
    host = re.sub(r"^\w+://|[/:].*", "", base_url.partition("://")[2] or base_url)
    told = f"{host} {model}".lower()
    return FAMILIES[next((name for rule, name in _RULES if re.search(rule, told)), "any")]
