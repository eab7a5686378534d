"""Finds the user's and the assistant's messages in inputs and outputs, with LangChain's rules and error texts."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from memzoo.errors import MessageError, MissingKeyError, OptionError
from memzoo.memories.text.messages import checked, text_of
from memzoo.memories.text.thoughts import set_thoughts_apart
from memzoo.stores import Record

logger = logging.getLogger("memzoo")


def exchange_of(
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    keys: tuple[str | None, str | None],
    variables: Sequence[str],
    *,
    owner: str,
    all_fields: bool,
) -> list[Record]:
    """Return the two messages of an exchange: the user's message and the assistant's message.

    Args:
        inputs: The inputs, a dict from name to value.
        outputs: The outputs, a dict from name to value.
        keys: The memory's `input_key` and `output_key`.
        variables: The names of the memory's variables. An input with such a name is never the user's message.
        owner: The name of the memory's class, for a warning.
        all_fields: True to keep the other inputs and outputs as fields of the records.

    Raises:
        MissingKeyError: See `input_key_of` and `output_key_of`.
        MessageError: The inputs, the outputs or a message is invalid.
    """
    asked, answered = input_key_of(inputs, keys[0], variables), output_key_of(outputs, keys[1], owner)
    question = checked({"role": "user", "content": inputs[asked]})
    answer = set_thoughts_apart(checked({"role": "assistant", "content": outputs[answered]}))
    if not all_fields:
        return [Record(question, {}), Record(answer, {})]
    return [Record(question, _fields(inputs, asked)), Record(answer, _fields(outputs, answered))]


def input_key_of(inputs: Mapping[str, Any], configured: str | None, variables: Sequence[str]) -> str:
    """Return the key of the user's message.

    Args:
        inputs: The inputs, a dict from name to value.
        configured: The memory's `input_key`.
        variables: The names of the memory's variables. An input with such a name is never the user's message.

    Raises:
        MessageError: The inputs are not a mapping.
        MissingKeyError: The configured key is missing.
        MissingKeyError: No key is configured, and it is unclear which input has the message.
    """
    if not _is_mapping(inputs):
        raise _make_error("inputs", inputs, "input")
    if configured is not None:
        return _present(configured, inputs, "input_key")
    candidates = [key for key in inputs if key not in variables and key != "stop"]
    if len(candidates) != 1:
        raise MissingKeyError(f"One input key expected got {candidates}")
    return candidates[0]


def output_key_of(outputs: Mapping[str, Any], configured: str | None, owner: str) -> str:
    """Return the key of the assistant's message.

    Args:
        outputs: The outputs, a dict from name to value.
        configured: The memory's `output_key`.
        owner: The name of the memory's class, for the warning.

    Raises:
        MessageError: The outputs are not a mapping.
        MissingKeyError: The configured key is missing.
        MissingKeyError: No key is configured, and it is unclear which output has the message.
    """
    if not _is_mapping(outputs):
        raise _make_error("outputs", outputs, "output")
    if configured is not None:
        return _present(configured, outputs, "output_key")
    if len(outputs) == 1:
        return next(iter(outputs))
    keys = dict(outputs).keys()
    if "output" in outputs:
        logger.warning(
            "%r got multiple output keys: %s. The default 'output' key is being used. "
            "If this is not desired, please manually set 'output_key'.",
            owner,
            keys,
        )
        return "output"
    raise MissingKeyError(
        f"Got multiple output keys: {keys}, cannot determine which to store in memory. "
        "Please set the 'output_key' explicitly."
    )


def query_of(inputs: Mapping[str, Any], input_key: str | None, memory_variables: Sequence[str]) -> str:
    """Return the text of the user's message in the inputs of a turn."""
    key = input_key_of(inputs, input_key, memory_variables)
    return text_of(checked({"role": "user", "content": inputs[key]}))


def check_inputs(inputs: object) -> None:
    """Raise a `MessageError` unless the inputs of `load_memory_variables` are a mapping or `None`."""
    if inputs is not None and not _is_mapping(inputs):
        raise MessageError(f"inputs must be a dict such as {{'input': the user's next message}}, not {inputs!r}")


def check_query(query: object) -> None:
    """Raise an `OptionError` unless the query of `messages` is a string or `None`."""
    if query is not None and not isinstance(query, str):
        raise OptionError(f"query must be the user's next message, as a string, or None; not {query!r}")


def _is_mapping(values: object) -> bool:
    # Nearly all are plain dicts; the check for other mappings takes a tenth of a load.
    return type(values) is dict or isinstance(values, Mapping)


def _fields(values: Mapping[str, Any], key: str) -> dict[str, str | None]:
    return {name: None if name == key else str(value) for name, value in values.items()}


def _make_error(what: str, values: object, key: str) -> MessageError:
    return MessageError(
        f'{what} must be a dict such as {{"{key}": "..."}}, not {values!r}: '
        'save_context({"input": what the user said}, {"output": the answer})'
    )


def _present(key: str, values: Mapping[str, Any], option: str) -> str:
    if key not in values:
        raise MissingKeyError(f"{option} is {key!r}, but there are only: {', '.join(map(repr, values)) or 'none'}")
    return key
