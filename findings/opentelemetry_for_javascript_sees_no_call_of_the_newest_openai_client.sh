#!/usr/bin/env bash
# @opentelemetry/instrumentation-openai 0.21.0 and @traceloop/instrumentation-openai 0.27.0 beside
# @arizeai/openinference-instrumentation-openai 4.2.7 (npm): with openai 7.59.0, two of three trace nothing.
#
# Guess: An instrumentation records the calls of the client. If it does not know a version, it records them as well as
# it can, or says at the start that it does not; npm refuses what does not fit.
# Seen: Each has a list of versions, and a client that is not on it is passed over: no span, no error, and no peer
# dependency of which npm could speak. After an update of openai from 6 to 7, the program runs as before, and the log of
# talks, tokens and costs is empty. OpenTelemetry's own log, at its most talkative, names those alone that patch.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @opentelemetry/instrumentation-openai@0.21.0 \
    @traceloop/instrumentation-openai@0.27.0 @arizeai/openinference-instrumentation-openai@4.2.7 \
    @opentelemetry/sdk-trace-node@2.12.1 @opentelemetry/api@1.9.0 six@npm:openai@6.45.0 openai@7.59.0 > installed 2>&1
if grep -i peer installed; then exit 1; fi
cat > program.cjs <<'PROGRAM'
const { createServer } = require("node:http");
const { diag, DiagLogLevel } = require("@opentelemetry/api");
const { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } = require("@opentelemetry/sdk-trace-node");

const [, , name] = process.argv;
const said = [];
const note = (...words) => said.push(words.join(" "));
diag.setLogger({ error: note, warn: note, info: note, debug: note, verbose: note }, DiagLogLevel.ALL);
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
const instrumentation = new (require(name).OpenAIInstrumentation)();
instrumentation.setTracerProvider(provider);
instrumentation.enable();
const { OpenAI } = require("openai");
const message = { role: "assistant", content: "Hello." };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const answer = { id: "a", object: "chat.completion", created: 1, model: "m", usage };
const server = createServer((_, response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ ...answer, choices: [{ index: 0, message, finish_reason: "stop" }] }));
});
server.listen(0, "127.0.0.1", async () => {
  const client = new OpenAI({ apiKey: "key", baseURL: `http://127.0.0.1:${server.address().port}/v1` });
  await client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "Hi." }] });
  const spans = exporter.getFinishedSpans().length;
  console.log(`${name}: ${spans} spans, ${said.some((text) => /patch/i.test(text)) ? "said" : "nothing said"}`);
  process.exit();
});
PROGRAM
found=""
for client in openai@7.59.0 openai@6.45.0; do
    [ "$client" = openai@7.59.0 ] || { rm -r node_modules/openai && mv node_modules/six node_modules/openai; }
    for name in @opentelemetry/instrumentation-openai @traceloop/instrumentation-openai \
        @arizeai/openinference-instrumentation-openai; do
        found+="$client, $(node program.cjs "$name")"$'\n'
    done
done
echo $found
[ "$found" = "openai@7.59.0, @opentelemetry/instrumentation-openai: 0 spans, nothing said
openai@7.59.0, @traceloop/instrumentation-openai: 0 spans, nothing said
openai@7.59.0, @arizeai/openinference-instrumentation-openai: 1 spans, said
openai@6.45.0, @opentelemetry/instrumentation-openai: 1 spans, said
openai@6.45.0, @traceloop/instrumentation-openai: 1 spans, said
openai@6.45.0, @arizeai/openinference-instrumentation-openai: 1 spans, said
" ]
