"""Context windows of models, and token limits given as a share of a window."""

import re
from typing import Any

from memzoo.errors import OptionError

Tokens = int | str
"""A number of tokens, or a share of the model's context window such as `"80%"`."""

AS_OF = "November 2026"
"""The date of `CONTEXT_WINDOWS`."""

_MODELS_BY_WINDOW = {
    8_192: "gpt-4",
    16_385: "gpt-3.5-turbo",
    32_000: "gpt-4-32k",
    128_000: "chatgpt-4o deepseek-v3 gpt-4-turbo gpt-4o gpt-5.3 o1-mini o1-preview",
    131_072: "gpt-oss grok-3",
    200_000: "claude-2 claude-3 claude-haiku-4-5 claude-opus-4 claude-sonnet-4 o1 o3 o4-mini",
    256_000: "grok-4",
    262_144: "kimi-k2 mistral-medium-3",
    400_000: "gpt-5 gpt-5.3-codex gpt-5.4-mini gpt-5.4-nano",
    1_000_000: (
        "claude-fable-5 claude-haiku-5 claude-mythos-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 "
        "claude-opus-5 claude-sonnet-4-6 claude-sonnet-5 deepseek-flash deepseek-v4 gemini-2 gemini-3 gpt-4.1 gpt-5.5"
    ),
    1_048_576: "kimi-k3 mistral-large-4",
    1_050_000: "gpt-5.4 gpt-5.6 gpt-6",
    2_000_000: "gemini-1.5-pro",
}
CONTEXT_WINDOWS = {model: window for window, models in _MODELS_BY_WINDOW.items() for model in models.split()}
"""The most tokens of prompt and answer together, by the beginning of the model's name."""

_MOST_DIGITS = 19  # of tokens
# An endpoint's word beyond this is no window: the largest of today is 10 million.
_LARGEST = 100_000_000
_SHARE = re.compile(r"(\d{1,2}(?:\.\d{1,4})?|100)\s?%")
# Names of the window in lists of models: of LM Studio, vLLM, OpenRouter, Mistral, Groq.
_WINDOW_NAMES = ("loaded_context_length", "max_model_len", "context_length", "max_context_length", "context_window")


def context_window(model: str) -> int | None:
    """Return the context window of a model, such as "gpt-4o" or "openai/gpt-4o", in tokens; `None` if unknown.

    Example:
        >>> context_window("gpt-4o-mini"), context_window("openai/gpt-4-0613"), context_window("gpt-40")
        (128000, 8192, None)
    """
    name = model.rpartition("/")[2].removeprefix("ft:")
    # The name may continue only with a version: "o1" does not match "o10", and "gpt-4" does not match "gpt-4o".
    known = [one for one in CONTEXT_WINDOWS if re.match(re.escape(one) + r"(?![a-z0-9])", name)]
    return CONTEXT_WINDOWS[max(known, key=len)] if known else None


def read_told(told: Any, model: str) -> tuple[int | None, str]:
    """Read a model's context window and file name from an endpoint's answer to `/props` or `/models`.

    Returns:
        The context window in tokens (`None` if unknown), and the name of the model's file or folder ("" if unknown).

    Example:
        >>> read_told({"default_generation_settings": {"n_ctx": 4096}, "model_path": "/models/Qwen3-8B.gguf"}, "my-own")
        (4096, 'Qwen3-8B.gguf')
        >>> read_told({"data": [{"id": "a"}, {"id": "b", "max_model_len": 8192, "root": "Qwen/Qwen3-8B"}]}, "b")
        (8192, 'Qwen3-8B')
    """
    answer: Any = told if isinstance(told, dict) else {}
    listed: Any = answer.get("data")
    found: list[Any] = [answer]
    if isinstance(listed, list):
        found = [one for one in listed if isinstance(one, dict) and one.get("id") == model]
    settings = (one.get("default_generation_settings") for one in found)
    windows = [one.get("n_ctx") for one in settings if isinstance(one, dict)]
    windows += [one.get(name) for one in found for name in _WINDOW_NAMES]
    names = (one.get(name) for one in found for name in ("model_path", "root"))
    name = next((name for name in names if isinstance(name, str)), "")
    return (
        next((window for window in windows if type(window) is int and 0 < window <= _LARGEST), None),
        re.split(r"[/\\]", name.rstrip("/\\"))[-1],  # a folder may be called after another family
    )


def is_unknown_share(limit: object, model: str) -> bool:
    """Return whether a limit is a share such as "80%", but the context window of the model is unknown."""
    return isinstance(limit, str) and bool(model and _SHARE.fullmatch(limit.strip())) and context_window(model) is None


def tokens_of(name: str, limit: object, model: str, window: int | None = None) -> object:
    """Return a token limit as a number. A string such as "80%" means a share of the model's context window.

    A limit that is not a string is returned unchanged. `name` is the limit's name in errors. `window` is the context
    window of a model that is not in `CONTEXT_WINDOWS`.

    Raises:
        OptionError: The string is neither a number nor a share, or the model's window is unknown.

    Example:
        >>> tokens_of("max_tokens", "80%", "gpt-4o"), tokens_of("max_tokens", 500, "gpt-4o")
        (102400, 500)
    """
    if not isinstance(limit, str):
        return limit
    if limit.isascii() and limit.isdecimal() and len(limit) <= _MOST_DIGITS:  # parameters of a URL are strings
        return int(limit)
    found = _SHARE.fullmatch(limit.strip())
    share = float(found[1]) if found else 0.0
    if not share:
        raise OptionError(f"{name} must be tokens, or a share of the model's window such as '80%', not {limit!r}")
    window = context_window(model) or window
    if window is None:
        of = f"the window of {model!r} is not" if model else "no model is"
        raise OptionError(
            f"{name}={limit!r} is a share of a model's window, and {of} known here (table of {AS_OF}): give tokens, or "
            "name a model that is known, by llm= or token_counter='gpt-4o'"
        )
    return max(int(window * share / 100), 1)
