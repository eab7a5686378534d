"""Converts OpenAI's messages with open converters: reads forms as JSON lines, and writes the faults of each.

Run this with a Python that has their packages (`make templates`), unlike memzoo's own. It uses no network.
"""

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

_Convert: TypeAlias = Callable[[Any, Any], Any]
"""A function from messages and tools in OpenAI's form to the provider's system text and messages."""

_MODELS = {"anthropic": "claude-sonnet-4-5", "gemini": "gemini-3-pro", "bedrock": "anthropic.claude-sonnet-4-5"}


def main() -> None:
    """Answer each form on standard input with one JSON line: its faults by converter."""
    with redirect_stdout(sys.stderr):
        converters = _converters()
    for line in sys.stdin:
        form = json.loads(line)
        with redirect_stdout(sys.stderr):
            found = {name: faults for name, convert in converters.items() if (faults := _faults(convert, form))}
        print(json.dumps(found), flush=True)  # noqa: T201


def _faults(convert: _Convert, form: dict[str, Any]) -> dict[str, str]:
    try:
        system, messages = convert(json.loads(json.dumps(form["messages"])), form["tools"])
    except Exception as error:  # noqa: BLE001 - a converter may raise anything
        return {"raises": f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"}
    text = f"{system} {messages}"
    faults = {f"loses {kind}": mark for mark, kind in form["marks"].items() if mark not in text}
    roles = [_role(message) for message in messages]
    if roles[:1] not in ([], ["user"]):
        faults["begins without a user"] = " ".join(roles[:6])
    if any(one == other for one, other in pairwise(roles)):
        faults["does not alternate"] = " ".join(roles[:6])
    return faults


def _role(message: Any) -> str:
    return message.role if hasattr(message, "role") else message["role"]


def _converters() -> dict[str, _Convert]:
    return dict(_of_langchain()) | dict(_of_any_llm()) | dict(_of_litellm()) | dict(_of_mistral())


def _of_langchain() -> Iterator[tuple[str, _Convert]]:
    as_langchain = importlib.import_module("langchain_core.messages").convert_to_messages

    def convert(function: Callable[..., Any], messages: Any, tools: Any) -> Any:
        return function(as_langchain(messages))

    anthropic = importlib.import_module("langchain_anthropic.chat_models")._format_messages
    yield "langchain-anthropic", partial(convert, partial(anthropic, model=_MODELS["anthropic"]))
    google = importlib.import_module("langchain_google_genai.chat_models")._parse_chat_history
    yield "langchain-google-genai", partial(convert, partial(google, model=_MODELS["gemini"]))
    aws = importlib.import_module("langchain_aws.chat_models.bedrock_converse")._messages_to_bedrock

    def bedrock(messages: Any, tools: Any) -> Any:
        messages, system = convert(aws, messages, tools)
        return system, messages

    yield "langchain-aws", bedrock


def _of_any_llm() -> Iterator[tuple[str, _Convert]]:
    def alone(function: Callable[..., Any], messages: Any, tools: Any) -> Any:
        return function(messages)

    def gemini(messages: Any, tools: Any) -> Any:
        messages, system = google(messages)
        return system, messages

    anthropic = importlib.import_module("any_llm.providers.anthropic.utils")._convert_messages_for_anthropic
    yield "any-llm anthropic", partial(alone, anthropic)
    bedrock = importlib.import_module("any_llm.providers.bedrock.utils")._convert_messages
    yield "any-llm bedrock", partial(alone, bedrock)
    google = importlib.import_module("any_llm.providers.gemini.utils")._convert_messages
    yield "any-llm gemini", gemini


def _of_litellm() -> Iterator[tuple[str, _Convert]]:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise it downloads its table of prices
    litellm = importlib.import_module("litellm")

    def transform(config: Any, model: str, messages: Any, tools: Any) -> Any:
        given = {"max_tokens": 9} | ({"tools": tools} if tools else {})
        options = config.map_openai_params(given, {}, model, drop_params=False)
        return config.transform_request(model, messages, options, {}, {})

    def anthropic(messages: Any, tools: Any) -> Any:
        body = transform(litellm.AnthropicConfig(), _MODELS["anthropic"], messages, tools)
        return body.get("system"), body["messages"]

    def bedrock(messages: Any, tools: Any) -> Any:
        body = transform(litellm.AmazonConverseConfig(), _MODELS["bedrock"], messages, tools)
        return body.get("system"), body["messages"]

    gemini_body = importlib.import_module("litellm.llms.vertex_ai.gemini.transformation")._transform_request_body

    def gemini(messages: Any, tools: Any) -> Any:
        body = gemini_body(messages, _MODELS["gemini"], {}, "gemini", {}, None)
        return body.get("system_instruction"), body["contents"]

    yield from {"litellm anthropic": anthropic, "litellm bedrock": bedrock, "litellm gemini": gemini}.items()


def _of_mistral() -> Iterator[tuple[str, _Convert]]:
    requests = importlib.import_module("mistral_common.protocol.instruct.request")
    validators = importlib.import_module("mistral_common.protocol.instruct.validator")
    normalizers = importlib.import_module("mistral_common.protocol.instruct.normalize")
    versions = importlib.import_module("mistral_common.tokens.tokenizers.base").TokenizerVersion

    def convert(version: Any, mode: Any, messages: Any, tools: Any) -> Any:
        if mode == "finetuning":  # which wants the answer, too
            messages = [*messages, {"role": "assistant", "content": "yes"}]
        request = requests.ChatCompletionRequest.from_openai(messages, tools, model="m")
        settings = normalizers.ModelSettingsBuilder.none() if version == versions.v15 else None
        checked = validators.get_validator(version, mode).validate_request(request)
        normalized = normalizers.get_normalizer(version, settings).from_chat_completion_request(checked)
        return normalized, []  # the validator has checked the order

    for version in versions:
        for mode in validators.ValidationMode:
            yield f"mistral-common {version} {mode}", partial(convert, version, mode)


if __name__ == "__main__":
    main()
