"""Separates request parameters from client options, by the signatures of the `openai` client."""

import inspect
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from memzoo.errors import OptionError
from memzoo.text import did_you_mean

# Parameters set by each call.
_BY_CALL = frozenset({"self", "model", "messages", "input", "stream", "stream_options"})
# Client options that have their own arguments, are also request parameters, or differ between the two kinds of clients.
_NOT_FOR_BOTH = frozenset({"base_url", "api_key", "timeout", "http_client"})
# Parameters of chat completions under other names in the Responses API.
_LENGTHS = frozenset({"max_tokens", "max_completion_tokens"})
_NESTED = {"reasoning_effort": ("reasoning", "effort"), "verbosity": ("text", "verbosity")}


def split_parameters(
    owner: str, endpoint: str, given: Mapping[str, Any], client: Any = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate request parameters from client options.

    Args:
        owner: The name of the class that takes the arguments, for error messages.
        endpoint: The client's attribute for the request, such as `"chat.completions"`.
        given: All arguments.
        client: An existing client. With it, client options are refused.

    Returns:
        The request parameters, and the client options.

    Raises:
        OptionError: An argument is neither a request parameter nor a client option of the installed `openai`.
        OptionError: An argument must be given elsewhere; the error says where.
    """
    if not given:
        return {}, {}  # without importing the client
    takes = inspect.signature(_create(endpoint, client)).parameters
    # A wrapper, such as a tracer, may take any parameter.
    takes_any = any(one.kind is one.VAR_KEYWORD for one in takes.values())
    of_client = set[str]() if takes_any and client is not None else _of_client() - takes.keys()
    parameters, options = dict[str, Any](), dict[str, Any]()
    for name, value in given.items():
        if name in _BY_CALL:
            raise OptionError(f"{owner}: {name} is set by each call; leave it out")
        if name == "http_client":
            raise OptionError(f"{owner}: http_client belongs to your own client: client=OpenAI(http_client=...)")
        if name in of_client:
            options[name] = value
        elif name in takes or takes_any:
            parameters[name] = value
        else:
            raise OptionError(
                f"{owner}: the openai client has no parameter {name!r}; pass one that only your endpoint knows as "
                f"extra_body={{{name!r}: ...}}{did_you_mean(name, [*takes, *of_client])}"
            )
    if client is not None and options:
        name = next(iter(options))
        raise OptionError(
            f"{owner}: {name} is an option of the client, which exists already: client=OpenAI({name}=...)"
        )
    return parameters, options


def as_responses(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a chat completion in the form of the Responses API.

    Raises:
        OptionError: The Responses API has no such parameter.
    """
    if not given:
        return {}
    from openai.resources.responses import Responses

    made, takes = dict[str, Any](), inspect.signature(Responses.create).parameters
    for name, value in given.items():
        if name in _LENGTHS:
            made["max_output_tokens"] = value
        elif name in _NESTED:
            outer, inner = _NESTED[name]
            made.setdefault(outer, {})[inner] = value
        elif name in takes:
            made[name] = value
        else:
            raise OptionError(f"the Responses API has no parameter {name!r}; leave it out, or pass it in extra_body")
    return made


def _create(endpoint: str, client: Any) -> Any:
    from openai.resources import Embeddings
    from openai.resources.chat import Completions

    if client is not None:
        return attrgetter(f"{endpoint}.create")(client)
    return Embeddings.create if endpoint == "embeddings" else Completions.create


def _of_client() -> set[str]:
    import openai

    names = inspect.signature(openai.OpenAI).parameters
    return {name for name in names if not name.startswith("_")} - _NOT_FOR_BOTH
