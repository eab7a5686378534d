"""Tools: what a model is told of a function, and how its calls become calls."""

import asyncio
import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from memzoo.memories import Tool
from memzoo.memories.chat.tools import Called, run, toolbox
from memzoo.sync import drive


class Place(BaseModel):
    """Where something is."""

    city: str


@dataclass
class Forecast:
    """A forecast."""

    day: datetime
    rain: float


def weather(
    place: Place, days: Annotated[int, Field(description="How many.", ge=1)] = 1, unit: Literal["C", "F"] = "C"
):
    """What the weather will be."""
    return [place.city, days, unit]


async def aweather(place: Place) -> str:
    """What the weather will be."""
    return place.city


def called(tool: Callable[..., Any], arguments: str) -> Called:
    """A tool called as a model calls it."""
    tools = toolbox([tool])
    call = {"id": "c1", "function": {"name": next(iter(tools)), "arguments": arguments}}
    outcome = drive(run(tools, call))
    assert asyncio.run(run(tools, call)) == outcome
    return outcome


def test_schema_comes_from_the_signature() -> None:
    """Names, types, defaults, limits and descriptions are those of the function."""
    schema = Tool(weather).schema
    assert schema["type"] == "function"
    function = schema["function"]
    assert (function["name"], function["description"]) == ("weather", "What the weather will be.")
    assert function["parameters"]["required"] == ["place"]
    assert function["parameters"]["properties"]["days"] == {
        "default": 1,
        "description": "How many.",
        "minimum": 1,
        "title": "Days",
        "type": "integer",
    }
    assert function["parameters"]["properties"]["unit"]["enum"] == ["C", "F"]


def test_arguments_are_converted_by_the_annotations() -> None:
    """The function gets Python values: models, numbers from digits, defaults."""
    outcome = called(weather, '{"place": {"city": "Oslo"}, "days": "3"}')
    assert (outcome.value, outcome.text, outcome.failed) == (["Oslo", 3, "C"], '["Oslo",3,"C"]', False)
    assert outcome.message == {"role": "tool", "tool_call_id": "c1", "content": outcome.text}


def test_asynchronous_functions_are_awaited() -> None:
    """In synchronous code as well, as long as they wait for nothing."""
    assert called(aweather, '{"place": {"city": "Oslo"}}').text == "Oslo"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        (None, "null"),
        ({"a": [1, 2.5]}, '{"a":[1,2.5]}'),
        (Place(city="Oslo"), '{"city":"Oslo"}'),
        (Forecast(datetime(2026, 5, 8, tzinfo=UTC), 0.5), '{"day":"2026-05-08T00:00:00Z","rain":0.5}'),
        ([float("nan")], "[NaN]"),
        (threading.Thread, "\"<class 'threading.Thread'>\""),
        ("half a pair: \ud800", "half a pair: ?"),
    ],
)
def test_results_become_text(value: object, text: str) -> None:
    """A text stays as it is, anything else becomes JSON, so that it can be stored and sent."""
    assert called(lambda_named(lambda: value), "{}").text == text


def test_a_result_that_cannot_be_written_is_told() -> None:
    """The tool has done its work: the model hears why there is no result, and the turn goes on."""
    circle = list[Any]()
    circle.append(circle)
    outcome = called(lambda_named(lambda: circle), "{}")
    assert outcome.failed
    assert outcome.text.startswith("Error: PydanticSerializationError")


def lambda_named(function: Callable[[], object]) -> Tool:
    """A function without a name of its own, with one."""
    return Tool(function, name="f")


def test_anything_that_can_be_called_is_a_tool() -> None:
    """Methods, partial functions, objects with `__call__`, built-in functions."""

    class Shop:
        """A shop."""

        def price(self, of: str) -> int:
            """What something costs."""
            return len(of)

        def __call__(self, of: str) -> int:
            return self.price(of)

    assert called(Shop().price, '{"of": "tea"}').value == 3
    assert called(Shop(), '{"of": "tea"}').value == 3
    assert toolbox([Shop()])["Shop"].description == "A shop."
    assert called(functools.partial(weather, Place(city="Oslo")), '{"days": 2}').value == ["Oslo", 2, "C"]


def test_an_immediate_tool_is_still_a_function() -> None:
    """It can be called as before."""

    def soup(day: str) -> str:
        """What there is to eat."""
        return f"soup on {day}"

    menu = Tool(soup, name="menu", immediate=True)
    assert menu("Monday") == "soup on Monday"
    assert (menu.name, menu.description, menu.immediate) == ("menu", "What there is to eat.", True)
    assert called(menu, '{"day": "Monday"}').immediate
    assert not called(menu, "{}").immediate
