#!/usr/bin/env bash
# deepeval 4.3.1: with its cache, an agent that now calls the wrong tool still passes with the score of the right one.
#
# Guess: `use_cache=True` takes the score of an equal test case: if the agent calls another tool, or the metric is told
# to look at the order of the calls, it is measured again.
# Seen: A case is found by its texts (question, answer and contexts); the tools, called or expected, are no part of
# that. So if the agent says "Done." as before and deletes the letter in the place of its draft, the
# `ToolCorrectnessMetric` passes it with 1.0, and so it does once the order counts. Without the cache it is 0.0. A score
# is written each time, so the first run with the cache already finds one. (Pull requests 2561 and 2840 of deepeval,
# open, are for this.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check deepeval==4.3.1
cat > "$folder/program.py" <<'PROGRAM'
import contextlib
import io

from deepeval import evaluate
from deepeval.evaluate import CacheConfig, DisplayConfig
from deepeval.metrics import ToolCorrectnessMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase, ToolCall


class NoModel(DeepEvalBaseLLM):
    """Is asked nothing, as tools are compared without a model."""

    def load_model(self):
        return self

    def generate(self, prompt):
        raise NotImplementedError

    async def a_generate(self, prompt):
        raise NotImplementedError

    def get_model_name(self):
        return "none"


def score(called, cached, **options):
    case = LLMTestCase(
        input="Delete the draft of my letter.",
        actual_output="Done.",
        tools_called=[ToolCall(name=name) for name in called],
        expected_tools=[ToolCall(name="find"), ToolCall(name="delete_draft")],
    )
    with contextlib.redirect_stdout(io.StringIO()):
        result = evaluate(
            [case],
            [ToolCorrectnessMetric(model=NoModel(), include_reason=False, **options)],
            cache_config=CacheConfig(use_cache=cached),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
        )
    return result.test_results[0].metrics_data[0].score


right, wrong, turned = ["find", "delete_draft"], ["delete_letter"], ["delete_draft", "find"]
print("right tools, measured:", score(right, cached=False))
print("wrong tool, cached:", score(wrong, cached=True))
print("wrong order, cached:", score(turned, cached=True, should_consider_ordering=True))
print("wrong tool, measured:", score(wrong, cached=False))
print("wrong order, measured:", score(turned, cached=False, should_consider_ordering=True))
PROGRAM
cd "$folder"
found=$(DEEPEVAL_TELEMETRY_OPT_OUT=YES venv/bin/python -W ignore program.py 2> /dev/null)
echo "deepeval==4.3.1:" $found
[ "$found" = "right tools, measured: 1.0
wrong tool, cached: 1.0
wrong order, cached: 1.0
wrong tool, measured: 0.0
wrong order, measured: 0.5" ]
