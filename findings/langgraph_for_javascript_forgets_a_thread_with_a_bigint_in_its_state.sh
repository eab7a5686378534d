#!/usr/bin/env bash
# @langchain/langgraph 1.7.3 (npm): a thread whose state has a BigInt remembers no turn, and no error says so.
#
# Guess: A value that a checkpoint cannot hold, as JSON has no BigInt, is an error at the turn that should save it, or
# is saved as a text; the messages beside it are kept in any case.
# Seen: The turn ends as usual. In the place of the whole checkpoint, a text is saved that says that it could not be
# serialized. The next turn begins with an empty talk, so the model is not shown the first question, and `getState`
# raises a TypeError about `undefined`. With the number 4711 in the place of 4711n, as drivers of databases give ids,
# the second turn has all four messages.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @langchain/langgraph@1.7.3 @langchain/core@1.4.0 zod@4.6.7 > /dev/null
cat > program.mjs <<'PROGRAM'
import { Annotation, END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ ...MessagesAnnotation.spec, account: Annotation() });
for (const account of [4711, 4711n]) {
  const graph = new StateGraph(State)
    .addNode("model", () => ({ messages: [{ role: "assistant", content: "Noted." }] }))
    .addEdge(START, "model")
    .addEdge("model", END)
    .compile({ checkpointer: new MemorySaver() });
  const thread = { configurable: { thread_id: "ann" } };
  const turns = [];
  for (const content of ["I am Ann.", "Who am I?"]) {
    turns.push((await graph.invoke({ messages: [{ role: "user", content }], account }, thread)).messages.length);
  }
  const state = await graph.getState(thread).then(({ values }) => values.messages.length, ({ message }) => message);
  console.log(`${typeof account}: ${turns.join(", then ")} messages; state: ${state}`);
}
PROGRAM
found=$(node program.mjs)
echo "@langchain/langgraph@1.7.3:" $found
[ "$found" = "number: 2, then 4 messages; state: 4
bigint: 2, then 2 messages; state: Cannot read properties of undefined (reading 'messages')" ]
