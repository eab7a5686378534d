#!/usr/bin/env bash
# @copilotkit/aimock 1.43.0 (npm): a recorded batch of embeddings is replayed with the first text's vector for every
# text, and another model gets the same vector.
#
# Guess: A recording of embeddings returns the model's vectors for the same request. A request to another model, or for
# another number of dimensions, is a different request.
# Seen: The recorder joins the texts with spaces and keeps only the first vector. While it records, the program gets the
# right vectors. In the replay, the notes on tea, nuts and rent share one vector, so a search for the rent finds the tea
# first, in a test that passed while recording. A single text with the same words, or a longer one that contains them,
# gets that vector too. The model's name is not compared, so a test of a larger model, whose vectors are longer, gets
# the small model's vector.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @copilotkit/aimock@1.43.0 > /dev/null
cat > program.mjs <<'PROGRAM'
import { LLMock } from "@copilotkit/aimock";
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const topics = ["tea", "nuts", "rent"];
const model = createServer(async (request, response) => {
  const { input, model } = await json(request);
  const embed = (text) => topics.map((topic) => +text.includes(topic)).concat(model === "large" ? [0] : []);
  const data = [input].flat().map((text, index) => ({ object: "embedding", index, embedding: embed(text) }));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ object: "list", model, data }));
}).listen(0, "127.0.0.1");
await once(model, "listening");
const record = { providers: { openai: `http://127.0.0.1:${model.address().port}` }, fixturePath: "recorded" };

const notes = ["Ann likes tea.", "Bob eats no nuts.", "The rent is 900."];
for (const name of ["recording", "replay"]) {
  const mock = new LLMock(name === "replay" ? { port: 0 } : { port: 0, record });
  if (name === "replay") mock.loadFixtureDir("recorded");
  await mock.start();
  const embed = async (input, model = "small") => {
    const body = JSON.stringify({ model, input });
    const headers = { "content-type": "application/json" };
    const answer = await (await fetch(`${mock.url}/v1/embeddings`, { method: "POST", headers, body })).json();
    return answer.data.map(({ embedding }) => embedding);
  };
  const vectors = await embed(notes);
  const [question] = await embed("rent");
  const scores = vectors.map((vector) => vector.reduce((sum, value, index) => sum + value * question[index], 0));
  console.log(`${name}: ${vectors.join(" ")}, found: ${notes[scores.indexOf(Math.max(...scores))]}`);
  console.log(`${name}: larger model: ${await embed("rent", "large")}`);
  await mock.stop();
}
process.exit();
PROGRAM
found=$(node program.mjs)
echo "@copilotkit/aimock@1.43.0:"
echo "$found"
[ "$found" = "recording: 1,0,0 0,1,0 0,0,1, found: The rent is 900.
recording: larger model: 0,0,1
replay: 1,0,0 1,0,0 1,0,0, found: Ann likes tea.
replay: larger model: 0,0,1" ]
