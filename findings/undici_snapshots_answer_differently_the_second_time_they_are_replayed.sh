#!/usr/bin/env bash
# undici 7.30.2 (npm, the `fetch` of Node.js): the answers of a `SnapshotAgent` in a replay depend on how often the file
# was replayed before.
#
# Guess: In the mode "playback", the file is read. Answers to one and the same request, such as the states of a job that
# is asked for until it is done, come in the order in which they were recorded, as the manual has it; in each run.
# Seen: `close()` writes the file in this mode, too, with the number of answers that were given, and the next run goes
# on behind them: it is told "done" at once, and so is each later run. A test of the states before that passes once, and
# a run that recorded nothing has changed the file. The same comes of a run in the mode "update" that found all in the
# file. Without `close()`, each run is the same. (Mended upstream in June 2026, in undici 8, for "playback" alone.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit undici@7.30.2 > /dev/null
cat > program.mjs <<'PROGRAM'
import { createHash } from "node:crypto";
import { readFileSync, unlinkSync } from "node:fs";
import { createServer } from "node:http";
import { fetch, SnapshotAgent } from "undici";

const states = ["queued", "running", "done"];
const server = createServer((_, response) => response.end(states.shift()));
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const run = async (mode, close) => {
  const dispatcher = new SnapshotAgent({ mode, snapshotPath: "snapshots.json" });
  const told = [];
  for (const _ of [1, 2, 3]) {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/v1/jobs/1`, { dispatcher });
    told.push(await response.text());
  }
  if (close) await dispatcher.close();
  return told.join(" ");
};
const hash = () => createHash("sha256").update(readFileSync("snapshots.json")).digest("hex");
console.log("record:", await run("record", true));
const recorded = hash();
for (const [mode, close] of [["playback"], ["playback"], ["playback", true], ["playback"]]) {
  console.log(`${mode}:`, await run(mode, close), hash() === recorded);
}
unlinkSync("snapshots.json");
states.push("queued", "running", "done");
for (const mode of ["record", "update", "playback"]) console.log(`${mode}:`, await run(mode, mode !== "playback"));
server.close();
server.closeAllConnections();
PROGRAM
found=$(node --no-warnings program.mjs)
echo "undici@7.30.2:" $found
[ "$found" = "record: queued running done
playback: queued running done true
playback: queued running done true
playback: queued running done false
playback: done done done false
record: queued running done
update: queued running done
playback: done done done" ]
