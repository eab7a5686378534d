"""YAML that a person can review: text with line breaks as blocks, vectors on one line, nothing reordered."""

import re
from functools import cache
from typing import Any

from memzoo.cassettes.optional import optional

__all__ = ["dump", "load"]

# Characters that a block shows as they are and that every YAML reader takes back unchanged. Others, such as a
# carriage return or a line separator, are escaped. A first line that begins with a tab confuses libyaml.
_BLOCK = re.compile(
    r"(?!\t)[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]*",
)
_ENDLESS = 2**31


def dump(value: Any) -> str:
    """JSON as YAML, in its own order.

    Raises:
        MissingExtraError: PyYAML is not installed.
    """
    yaml = optional("yaml")
    text: str = yaml.dump(
        value,
        Dumper=_dumper(yaml.SafeDumper),
        sort_keys=False,
        allow_unicode=True,
        width=_ENDLESS,
        default_flow_style=False,
    )
    return text


def load(text: str) -> Any:
    """What `dump` wrote; only plain values, never objects.

    Raises:
        MissingExtraError: PyYAML is not installed.
        ValueError: The text is not YAML, or has tags that only an unsafe reader would follow.
    """
    yaml = optional("yaml")
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


@cache
def _dumper(safe: Any) -> Any:
    def analyze_scalar(emitter: Any, scalar: str) -> Any:
        analysis = safe.analyze_scalar(emitter, scalar)
        # PyYAML escapes a text with a tab, or with spaces before a line break; a block keeps both.
        analysis.allow_block = "\n" in scalar and _BLOCK.fullmatch(scalar) is not None
        return analysis

    methods: dict[str, Any] = {"analyze_scalar": analyze_scalar, "ignore_aliases": _never_alias}
    dumper: Any = type("ReadableDumper", (safe,), methods)
    dumper.add_representer(str, _represent_text)
    dumper.add_representer(list, _represent_list)
    return dumper


def _never_alias(_dumper: Any, _value: Any) -> bool:
    return True


def _represent_text(dumper: Any, text: str) -> Any:
    if _BLOCK.fullmatch(text) is None:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


def _represent_list(dumper: Any, items: list[Any]) -> Any:
    numbers = bool(items) and all(isinstance(item, int | float) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=numbers)
