"""Separates request parameters from client options, by the signatures of the `openai` client."""

import inspect
from collections.abc import Collection, Mapping
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
    create = _create(endpoint, client)
    takes = inspect.signature(create).parameters
    if any(one.kind is one.VAR_KEYWORD for one in takes.values()):
        # Wrappers such as tracers may take more parameters, so only known client options go to the client.
        of_request = {*given} - _of_client() if client is None else {*given}
    else:
        of_request = {*takes}
    options = dict[str, Any]()
    for name, value in given.items():
        if name in _BY_CALL:
            raise OptionError(f"{owner}: {name} is set by each call; leave it out")
        if name not in of_request:
            options[name] = value
    _check_options(owner, options, of_request, is_made=client is not None)
    return {name: value for name, value in given.items() if name in of_request}, options


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


def _check_options(owner: str, options: Mapping[str, Any], of_request: Collection[str], *, is_made: bool) -> None:
    known = _of_client()
    for name in options:
        if name == "http_client":
            raise OptionError(f"{owner}: http_client belongs to your own client: client=OpenAI(http_client=...)")
        if name not in known:
            raise OptionError(
                f"{owner}: the openai client has no parameter {name!r}; pass one that only your endpoint knows as "
                f"extra_body={{{name!r}: ...}}{did_you_mean(name, [*of_request, *known])}"
            )
        if is_made:
            raise OptionError(
                f"{owner}: {name} is an option of the client, which exists already: client=OpenAI({name}=...)"
            )
