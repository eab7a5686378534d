#!/usr/bin/env bash
# deepeval 4.3.1 and agentevals 0.0.9: of an agent that books a table in the wrong city, books it twice, or cancels it
# again, one says that its calls are perfect, and the other that they are wrong.
#
# Guess: "Tool correctness" of 1.0 means that the agent made the expected calls, with the expected arguments, and no
# others; by their defaults, two evaluators of calls agree on which are right.
# Seen: `ToolCorrectnessMetric` asks only whether each expected name is among the calls: Rome in the place of Oslo, a
# second booking and a cancellation after it all have 1.0. Told to look at arguments, it gives Rome 0.5, which is the
# default threshold, so that it passes. agentevals calls each of them wrong, as it does the right calls in another
# order. (deepeval's page says that it looks whether each expected tool was called, by default by its name.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check deepeval==4.3.1 agentevals==0.0.9
cat > "$folder/program.py" <<'PROGRAM'
import json

from agentevals.trajectory.match import create_trajectory_match_evaluator
from deepeval.metrics import ToolCorrectnessMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

FIND, BOOK = ("find", {"city": "Oslo"}), ("book", {"city": "Oslo"})
RIGHT = [FIND, BOOK]
CASES = {
    "right": RIGHT,
    "Rome": [FIND, ("book", {"city": "Rome"})],
    "twice": [FIND, BOOK, BOOK],
    "cancelled": [FIND, BOOK, ("cancel", {"city": "Oslo"})],
    "turned round": [BOOK, FIND],
}


class NoModel(DeepEvalBaseLLM):
    """Is asked nothing, as calls are compared without a model."""

    def load_model(self):
        return self

    def generate(self, prompt):
        raise NotImplementedError

    async def a_generate(self, prompt):
        raise NotImplementedError

    def get_model_name(self):
        return "none"


def deepeval(calls, *looked_at):
    def tools(calls):
        return [ToolCall(name=name, input_parameters=arguments) for name, arguments in calls]

    metric = ToolCorrectnessMetric(
        model=NoModel(), include_reason=False, async_mode=False, evaluation_params=list(looked_at)
    )
    case = LLMTestCase(input="Book.", actual_output="Done.", tools_called=tools(calls), expected_tools=tools(RIGHT))
    metric.measure(case, _show_indicator=False)
    return f"{metric.score}{' passes' if metric.is_successful() else ''}"


def agentevals(calls):
    def messages(calls):
        functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in calls]
        return [{"role": "assistant", "content": "", "tool_calls": [{"function": one}]} for one in functions]

    return create_trajectory_match_evaluator()(outputs=messages(calls), reference_outputs=messages(RIGHT))["score"]


for name, calls in CASES.items():
    by_input = deepeval(calls, ToolCallParams.INPUT_PARAMETERS)
    print(f"{name}: deepeval {deepeval(calls)}, with arguments {by_input}, agentevals {agentevals(calls)}")
PROGRAM
cd "$folder"
found=$(DEEPEVAL_TELEMETRY_OPT_OUT=YES venv/bin/python -W ignore program.py 2> /dev/null)
echo "deepeval==4.3.1, agentevals==0.0.9:" $found
[ "$found" = "right: deepeval 1.0 passes, with arguments 1.0 passes, agentevals True
Rome: deepeval 1.0 passes, with arguments 0.5 passes, agentevals False
twice: deepeval 1.0 passes, with arguments 1.0 passes, agentevals False
cancelled: deepeval 1.0 passes, with arguments 1.0 passes, agentevals False
turned round: deepeval 1.0 passes, with arguments 1.0 passes, agentevals False" ]
