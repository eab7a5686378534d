#!/usr/bin/env bash
# pydantic-evals 2.62.0 with pydantic-ai-slim 2.62.0 and logfire 5.4.0: an agent that should call nothing, but deletes
# letters twice, passes all four evaluators of its calls, as long as these are not traced.
#
# Guess: The evaluators read the trace and fail if there is none, as their description says. So an agent that passes has
# been observed.
# Seen: They ask whether anything records traces, not whether this agent is traced. Without Logfire, they fail. Once
# Logfire is configured, for a database, say, they see 0 calls and 0 requests of an agent that is not instrumented, so
# every limit is kept: 1.0. With `instrument_pydantic_ai()`, the same agent fails. So a test that fails turns green if
# that one line is lost at the start of the program.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pydantic-evals==2.62.0 pydantic-ai-slim==2.62.0 \
    logfire==5.4.0
cat > "$folder/program.py" <<'PROGRAM'
import logfire
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import MaxModelRequests, MaxToolCalls, ToolCorrectness, TrajectoryMatch

deleted = []


def answer(messages, _):
    if len(messages) > 1:
        return ModelResponse(parts=[TextPart("You have no letters.")])
    return ModelResponse(parts=[ToolCallPart("delete_letters", {}, call) for call in ("call_1", "call_2")])


agent = Agent(FunctionModel(answer))


@agent.tool_plain
def delete_letters() -> str:
    deleted.append(True)
    return "Deleted."


async def ask(question):
    return (await agent.run(question)).output


def measure(name):
    deleted.clear()
    evaluators = [MaxToolCalls(0), MaxModelRequests(1), ToolCorrectness([]), TrajectoryMatch([])]
    case = Dataset(name="letters", cases=[Case(inputs="Read me my letters.")], evaluators=evaluators)
    result = case.evaluate_sync(ask, progress=False).cases[0]
    values = [float(measured.value) for measured in (result.assertions | result.scores).values()]
    print(f"{name}: {len(deleted)} deleted, {values}")


measure("no Logfire")
logfire.configure(send_to_logfire=False, console=False)
measure("Logfire")
logfire.instrument_pydantic_ai()
measure("Logfire, with agents")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py" 2> /dev/null)
echo "pydantic-evals==2.62.0:" $found
[ "$found" = "no Logfire: 2 deleted, [0.0, 0.0, 0.0, 0.0]
Logfire: 2 deleted, [1.0, 1.0, 1.0, 1.0]
Logfire, with agents: 2 deleted, [0.0, 0.0, 0.0, 0.0]" ]
