#!/usr/bin/env bash
# openinference-instrumentation-pydantic-ai 0.1.30 with pydantic-ai-slim 2.68.0: if an answer has three tool calls, the
# trace merges their results into one, under the id of the last call.
#
# Guess: pydantic-ai traces each result with the id of its call. OpenInference has a message for each, with its
# `tool_call_id`, as it does for LangChain's agents. So a conversation rebuilt from the trace can be sent again.
# Seen: The three results are one message, with the id of the last call and three texts as its content. The calls about
# Ann and Bob have no result, and "Oslo" and "Rome" are results of the call about Cy, which failed. If an answer has a
# single call, its result is traced correctly, so a short test shows nothing of this. (Issue 3813 of OpenInference
# reports the same of its package for google-genai.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pydantic-ai-slim==2.68.0 \
    openinference-instrumentation-pydantic-ai==0.1.30 opentelemetry-sdk==1.45.2
cat > "$folder/program.py" <<'PROGRAM'
import json

from openinference.instrumentation.pydantic_ai import OpenInferenceSpanProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(OpenInferenceSpanProcessor())
provider.add_span_processor(SimpleSpanProcessor(spans))
cities = {"Ann": "Oslo", "Bob": "Rome"}


def answer(messages, _):
    if len(messages) > 1:
        return ModelResponse(parts=[TextPart("Done.")])
    calls = [ToolCallPart("find", {"name": name}, f"call_{name}") for name in asked]
    return ModelResponse(parts=[TextPart("I look."), *calls])


traced = Instrumentation(InstrumentationSettings(tracer_provider=provider))
agent = Agent(FunctionModel(answer), capabilities=[traced])


@agent.tool_plain
def find(name: str) -> str:
    if name not in cities:
        raise ModelRetry(f"Nobody knows {name}.")
    return cities[name]


for asked in (["Ann"], ["Ann", "Bob", "Cy"]):
    spans.clear()
    agent.run_sync("Where are they?")
    last = [span.attributes for span in spans.get_finished_spans() if span.name.startswith("chat")][-1]
    print(f"{len(asked)} asked:")
    for message in json.loads(last["gen_ai.input.messages"]):
        for part in message["parts"]:
            if part["type"] == "tool_call_response":
                print(f"  pydantic-ai: {part['id']}: {part['result'][:6]}")
    for key, value in sorted(last.items()):
        if key.startswith("llm.input_messages.2.") and not key.endswith("role"):
            print(f"  OpenInference: {key.split('.message.')[1].split('.')[0]}: {value[:8]}")
PROGRAM
found=$("$folder/venv/bin/python" -W ignore "$folder/program.py")
echo "openinference-instrumentation-pydantic-ai==0.1.30:" $found
[ "$found" = "1 asked:
  pydantic-ai: call_Ann: Oslo
  OpenInference: contents: Oslo
  OpenInference: tool_call_id: call_Ann
3 asked:
  pydantic-ai: call_Ann: Oslo
  pydantic-ai: call_Bob: Rome
  pydantic-ai: call_Cy: Nobody
  OpenInference: contents: Oslo
  OpenInference: contents: Rome
  OpenInference: contents: Nobody k
  OpenInference: tool_call_id: call_Cy" ]
