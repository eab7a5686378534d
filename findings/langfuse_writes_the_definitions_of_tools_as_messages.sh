#!/usr/bin/env bash
# langfuse 5.0.4, with langchain 1.5.2: the logged input of a call of a model with tools has messages that nobody sent.
#
# Guess: The input of a logged call is the list of messages that went to the model.
# Seen: The definition of each tool follows the messages, as a message of the role "tool", without the id of a call. So a
# log does not tell a definition from a result, except by its form; and OpenAI refuses the input if it is sent again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet langfuse==5.0.4 langchain==1.5.2 langchain-core==1.8.3 opentelemetry-sdk==1.45.2 2> /dev/null
cat > program.py <<'PROGRAM'
import json

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langfuse import Langfuse
from langfuse.langchain import CallbackHandler
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

kept, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
Langfuse(public_key="pk", secret_key="sk", host="http://127.0.0.1:9", tracer_provider=provider)
function = {"name": "look", "parameters": {"type": "object", "properties": {}}}
model = GenericFakeChatModel(messages=iter([AIMessage("A fig.")])).bind(tools=[{"type": "function", "function": function}])
model.invoke([HumanMessage("What is it?")], config={"callbacks": [CallbackHandler()]})
(span,) = kept.get_finished_spans()
for message in json.loads(span.attributes["langfuse.observation.input"]):
    print(message["role"], type(message["content"]).__name__, "tool_call_id" in message)
PROGRAM
found=$(env/bin/python program.py 2> /dev/null)
echo "langfuse==5.0.4:" $found
[ "$found" = "user str False
tool dict False" ]
