#!/usr/bin/env bash
# pydantic-evals 2.62.0 beside inspect-ai 0.3.285: a memory that answers one question of three and raises an error for
# the others has an average of 1.0. One that answers the others wrongly has 0.33.
#
# Guess: An average covers all cases: a case whose task fails counts as 0, or the report has no average. So two memories
# with the same right answers score the same.
# Seen: Failed cases are moved to `failures` and left out of the average. So a memory looks better if it fails than if
# it is wrong, and a test of the average passes while two of three cases fail. inspect-ai ends such a run as an error,
# without a score. (Issue 7928 of pydantic-ai reports the same of an evaluator that fails.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pydantic-evals==2.62.0 inspect-ai==0.3.285
cat > "$folder/program.py" <<'PROGRAM'
import sys

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import exact
from inspect_ai.solver import solver
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected

facts = {"Ann": "Oslo", "Bob": "Rome", "Cy": "Lima"}


def find_or_fail(name):
    return {"Ann": "Oslo"}[name]


def find_or_guess(name):
    return {"Ann": "Oslo"}.get(name, "Paris")


@solver
def ask(memory):
    async def solve(state, generate):
        state.output = ModelOutput.from_content("memory", memory(state.input_text))
        return state

    return solve


for memory in (find_or_fail, find_or_guess):
    cases = [Case(name=name, inputs=name, expected_output=city) for name, city in facts.items()]
    report = Dataset(name="facts", cases=cases, evaluators=[EqualsExpected()]).evaluate_sync(memory, progress=False)
    print(f"pydantic-evals, {memory.__name__}: {report.averages().assertions:.2f}, {len(report.failures)} failed")
    samples = [Sample(input=name, target=city) for name, city in facts.items()]
    task = Task(dataset=samples, solver=ask(memory), scorer=exact())
    log = eval(task, model="mockllm/model", log_dir=sys.argv[1], display="none")[0]
    score = f"{log.results.scores[0].metrics['mean'].value:.2f}" if log.results else "no score"
    print(f"inspect-ai, {memory.__name__}: {log.status}, {score}")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" "$folder/logs" 2> /dev/null)
echo "pydantic-evals==2.62.0, inspect-ai==0.3.285:" $found
[ "$found" = "pydantic-evals, find_or_fail: 1.00, 2 failed
inspect-ai, find_or_fail: error, no score
pydantic-evals, find_or_guess: 0.33, 0 failed
inspect-ai, find_or_guess: success, 0.33" ]
