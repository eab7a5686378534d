#!/usr/bin/env bash
# ragas 0.4.3 with langchain 1.5.2 and langchain-openai 1.1.9: an agent that calls the right tool gets 0.0, and one that
# deletes letters where nothing should be called gets 1.0.
#
# Guess: `convert_to_ragas_messages` of its integration of LangGraph keeps the calls of an `AIMessage`, which LangChain
# has in `tool_calls` for each provider; the metrics of calls then compare them with those expected.
# Seen: It reads `additional_kwargs["tool_calls"]`, where models of OpenAI left a copy before version 1 of
# langchain-openai. Today no message has one, so no call is seen, and none is the same as no call at all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check ragas==0.4.3 langchain==1.5.2 \
    langchain-community==0.4.1 langchain-core==1.8.3 langchain-openai==1.1.9 langgraph==1.2.24 langgraph-prebuilt==1.1.3
cd "$folder"
cat > program.py <<'PROGRAM'
import asyncio
import json

import httpx
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from ragas.integrations.langgraph import convert_to_ragas_messages
from ragas.messages import AIMessage, ToolCall
from ragas.metrics.collections import ToolCallAccuracy, ToolCallF1


def delete(what: str) -> str:
    """Deletes drafts or letters."""
    return f"All {what} are deleted."


def model(what):
    def answer(request):
        call = {"name": "delete", "arguments": json.dumps({"what": what})}
        calls = [{"id": "1", "type": "function", "function": call}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        if json.loads(request.content)["messages"][-1]["role"] == "tool":
            message = {"role": "assistant", "content": "Done."}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        data = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        return httpx.Response(200, json=data)

    client = httpx.Client(transport=httpx.MockTransport(answer))
    return ChatOpenAI(model="gpt-4.1", api_key="none", http_client=client)


async def main():
    deletion = [ToolCall(name="delete", args={"what": "drafts"})]
    for said, what, expected in (("Delete the drafts.", "drafts", deletion), ("How are you?", "letters", [])):
        state = create_agent(model(what), [delete]).invoke({"messages": [{"role": "user", "content": said}]})
        calls = [call["args"] for message in state["messages"] for call in getattr(message, "tool_calls", [])]
        messages = convert_to_ragas_messages(state["messages"])
        seen = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls or []]
        marks = [(await metric.ascore(messages, expected)).value for metric in (ToolCallAccuracy(), ToolCallF1())]
        print("called", *calls, "expected", *(call.args for call in expected), "seen", *seen, "marks", *marks)


asyncio.run(main())
PROGRAM
found=$(RAGAS_DO_NOT_TRACK=true "$folder/venv/bin/python" -W ignore program.py)
echo "ragas==0.4.3: $found"
[ "$found" = "called {'what': 'drafts'} expected {'what': 'drafts'} seen marks 0.0 0.0
called {'what': 'letters'} expected seen marks 1.0 0.0" ]
