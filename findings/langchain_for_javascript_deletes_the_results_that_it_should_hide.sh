#!/usr/bin/env bash
# langchain 1.5.14 (npm) with langchain 1.5.2 (Python): results of tools that are cleared from a request are cleared
# from the thread in JavaScript, for good; in Python they are not.
#
# Guess: `contextEditingMiddleware` with a `ClearToolUsesEdit` edits what the model is sent, as its namesake in Python
# does: the thread keeps the results, for the program that shows them, and for an agent without it, or with a higher
# limit.
# Seen: In JavaScript it writes "[cleared]" into the list of the state itself, and the next checkpoint has it so. An
# agent without the middleware that goes on with the thread is sent "[cleared]", and the history shows it to the user.
# No message is removed and no error raised; with `clearToolInputs` the arguments of the call are gone, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain==1.5.2 langgraph==1.2.24 \
    langchain-core==1.8.3
cd "$folder"
npm install --silent --no-fund --no-audit langchain@1.5.14 @langchain/core@1.4.0 @langchain/langgraph@1.7.3 \
    zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { ClearToolUsesEdit, contextEditingMiddleware, createAgent } from "langchain";

const asked = [];
class Model extends SimpleChatModel {
  _llmType() {
    return "model";
  }
  bindTools() {
    return this;
  }
  async _call(messages) {
    asked.push(messages.filter(({ type }) => type === "tool").map(({ content }) => content));
    return "Noted.";
  }
}
const model = new Model({});
const call = (id, city) => new AIMessage({ content: "", tool_calls: [{ id, name: "weather", args: { city } }] });
const messages = [
  new HumanMessage("Oslo?"),
  call("1", "Oslo"),
  new ToolMessage({ tool_call_id: "1", content: "Rain" }),
  new HumanMessage("Rome?"),
  call("2", "Rome"),
  new ToolMessage({ tool_call_id: "2", content: "Sun" }),
];
const edit = new ClearToolUsesEdit({ trigger: { tokens: 1 }, keep: { messages: 1 } });
const checkpointer = new MemorySaver();
const thread = { configurable: { thread_id: "ann" } };
const middleware = [contextEditingMiddleware({ edits: [edit] })];
await createAgent({ model, tools: [], checkpointer, middleware }).invoke({ messages }, thread);
await createAgent({ model, tools: [], checkpointer }).invoke({ messages: [new HumanMessage("And now?")] }, thread);
console.log("JavaScript:", asked.map((results) => results.join(" ")).join(", then "));
PROGRAM
cat > program.py <<'PROGRAM'
from langchain.agents import create_agent
from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

asked = []


class Model(FakeListChatModel):
    def _generate(self, messages, *rest, **options):
        asked.append(" ".join(message.content for message in messages if message.type == "tool"))
        return super()._generate(messages, *rest, **options)


def call(number, city):
    return AIMessage("", tool_calls=[{"id": number, "name": "weather", "args": {"city": city}}])


model, saver, thread = Model(responses=["Noted."]), InMemorySaver(), {"configurable": {"thread_id": "ann"}}
messages = [
    HumanMessage("Oslo?"),
    call("1", "Oslo"),
    ToolMessage("Rain", tool_call_id="1"),
    HumanMessage("Rome?"),
    call("2", "Rome"),
    ToolMessage("Sun", tool_call_id="2"),
]
editing = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=1, keep=1)])
create_agent(model, [], checkpointer=saver, middleware=[editing]).invoke({"messages": messages}, thread)
create_agent(model, [], checkpointer=saver).invoke({"messages": [HumanMessage("And now?")]}, thread)
print("Python:", ", then ".join(asked))
PROGRAM
found=$(node program.mjs && "$folder/venv/bin/python" -W ignore program.py)
echo "langchain@1.5.14, langchain==1.5.2:" $found
[ "$found" = "JavaScript: [cleared] Sun, then [cleared] Sun
Python: [cleared] Sun, then Rain Sun" ]
