#!/usr/bin/env bash
# @langchain/core 1.4.0 (npm) with langchain-core 1.8.3 (Python): a question about another picture is answered from the
# cache with what the model said of the first one, in JavaScript.
#
# Guess: A cache of answers tells two messages apart by their whole content, as it does in Python: the same question
# about another picture, another recording or another file is asked.
# Seen: In JavaScript the key is the talk as plain text, in which each picture is "[image]", and each file "[file]". So
# after a receipt, the next one, of whichever user, gets the sum of the first, and the model is not asked. A picture
# that is left out is told apart, a call of a tool with other arguments is, too. (Known upstream.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langchain-core==1.8.3
cd "$folder"
npm install --silent --no-fund --no-audit @langchain/core@1.4.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { InMemoryCache } from "@langchain/core/caches";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage } from "@langchain/core/messages";

class Model extends SimpleChatModel {
  count = 0;
  _llmType() {
    return "model";
  }
  async _call() {
    return `answer ${++this.count}`;
  }
}
const model = new Model({ cache: new InMemoryCache(new Map()) });
const question = { type: "text", text: "What does it cost?" };
const picture = (data) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } });
const file = (data) => ({ type: "file", mimeType: "application/pdf", data });
const found = [];
for (const content of [
  [question, picture("QUFB")],
  [question, picture("QkJC")],
  [question, file("QUFB")],
  [question, file("QkJC")],
  [question],
]) {
  found.push((await model.invoke([new HumanMessage({ content })])).content);
}
console.log("JavaScript:", found.join(", "));
PROGRAM
cat > program.py <<'PROGRAM'
from langchain_core.caches import InMemoryCache
from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import HumanMessage


class Model(SimpleChatModel):
    count: int = 0

    @property
    def _llm_type(self):
        return "model"

    def _call(self, *_, **__):
        self.count += 1
        return f"answer {self.count}"


def picture(data):
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def file(data):
    return {"type": "file", "mime_type": "application/pdf", "base64": data}


model = Model(cache=InMemoryCache())
question = {"type": "text", "text": "What does it cost?"}
contents = (
    [question, picture("QUFB")],
    [question, picture("QkJC")],
    [question, file("QUFB")],
    [question, file("QkJC")],
    [question],
)
print("Python:", ", ".join(model.invoke([HumanMessage(content)]).content for content in contents))
PROGRAM
found=$(node program.mjs && "$folder/venv/bin/python" -W ignore program.py)
echo "@langchain/core@1.4.0, langchain-core==1.8.3:" $found
[ "$found" = "JavaScript: answer 1, answer 1, answer 2, answer 2, answer 3
Python: answer 1, answer 2, answer 3, answer 4, answer 5" ]
