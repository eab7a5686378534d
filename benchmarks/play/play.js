"use strict";
/* Draws what several memories show of one conversation. Whatever was said is text: nothing is ever read as HTML. */

const $ = (id) => document.getElementById(id);
const NS = "http://www.w3.org/2000/svg";
const number = new Intl.NumberFormat("en");
const many = (count, what) => `${number.format(count)} ${what}${count === 1 ? "" : "s"}`;
const MUCH = 160; // characters
const token = new URLSearchParams(location.search).get("token");

let start = null;
const pieces = [], facts = [], ways = [], moments = [], questions = [];
let views = {}; // by name: for each moment what was shown, as numbers of pieces
let at = 0, asked = null, following = true;
const hidden = new Set(); // names of memories that are not to be seen

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value; else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/* Taking in lines: the start, moments, questions. */

function take(line) {
  if (line.kind === "start") {
    start = line;
    prepare();
    return;
  }
  pieces.push(...line.pieces);
  facts.push(...line.facts);
  ways.push(...line.ways);
  if (line.kind === "question") {
    questions.push(line);
    $("asked").append(element("option", { value: questions.length, textContent: `${line.text} (turn ${line.at})` }));
    $("past").hidden = false;
  } else {
    moments[line.number] = line;
    for (const some of Object.values(views)) some.length = Math.min(some.length, line.number);
    $("slider").max = Math.max(start.moments, line.number);
  }
}

function apply(old, splices) {
  const found = [];
  let place = 0;
  for (const [from, removed, added] of splices) {
    for (; place < from; place++) found.push(old[place]);
    found.push(...added);
    place = from + removed;
  }
  for (; place < old.length; place++) found.push(old[place]);
  return found;
}

function viewOf(name, moment) {
  const some = (views[name] ??= []);
  while (some.length <= moment) {
    const frame = moments[some.length].memories[name];
    const before = some.at(-1) ?? [];
    some.push(frame ? apply(before, frame.splices) : before);
  }
  return moment < 0 ? [] : some[moment];
}

/* The page around the memories. */

function prepare() {
  document.title = `${start.title}: memzoo play`;
  $("title").textContent = start.title;
  const rules = "No model was asked: rules stand in for one. They quote sentences as summaries, take capitalised words " +
    "for names, and read “A is B” as a fact. Memories that ask a model (◆) show less this way than with a model. ";
  const model = start.rules ? rules : `${start.model} answers, and learns for the memories that ask a model (◆). `;
  const learnt = `With a star: ${start.learnt_by} learnt the conversation in advance, in a few steps; between these, new ` +
    "messages are shown word for word. ";
  const counter = start.counter === "approximate" ? "Tokens are estimated." : `Tokens are counted by ${start.counter}.`;
  const several = start.memories.length > 1 ? `${start.memories.length} memories, one conversation. ` : "";
  $("about").textContent = `${several}${start.learnt_by ? learnt : ""}${start.memories.some(({ asks }) => asks) ? model : ""}${counter}`;
  for (const { name } of start.memories) {
    const box = element("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(name); else hidden.add(name);
      draw();
    });
    $("names").append(element("label", {}, box, ` ${name}`));
    $("by").append(element("option", { value: name, textContent: name }));
  }
  $("which").hidden = start.memories.length === 1;
  $("known").append(...start.questions.map((text) => element("option", { value: text })));
  $("asked").append(element("option", { value: 0, textContent: "none: the conversation" }));
  const key = [["came", "added"], ["went", "removed"], ["re", "rewritten"]].map(([kind, text]) => element("span", { className: `key ${kind}` }, text));
  const cells = [["s", "shown word for word"], ["t", "retold in a text"], ["o", "not shown"]].map(([kind, text]) =>
    element("span", {}, element("i", { className: `cell ${kind}` }), text));
  $("legend").append(element("p", {}, "Since the turn before: ", ...key), element("p", {}, "Each message of the conversation: ", ...cells),
    element("p", {}, "Dark part of the bar: the unchanged beginning, which a prompt cache makes cheaper."));
}

function go(moment, question = null) {
  asked = question;
  at = question ? question.at : Math.max(0, Math.min(moment, moments.length - 1));
  $("asked").value = question ? questions.indexOf(question) + 1 : 0;
  draw();
}

function draw() {
  if (!moments[at]) return;
  const end = Math.max(start.moments, moments.length - 1);
  $("slider").value = at;
  $("slider").setAttribute("aria-valuetext", `after ${at} of ${many(end, "exchange")}`);
  $("where").textContent = `after ${number.format(at)} of ${many(end, "exchange")}` + (moments.length <= end ? ` (${moments.length - 1} ready)` : "");
  $("back").disabled = at === 0;
  $("on").disabled = at >= moments.length - 1;
  $("talk").replaceChildren(...said());
  const shown = start.memories.filter(({ name }) => !hidden.has(name));
  $("memories").classList.toggle("single", shown.length === 1);
  $("memories").replaceChildren(...shown.map(card));
  reveal();
  drawGraph();
  const changes = shown.map(({ name }) => `${name}: ${changed(name).told}`).join("; ");
  $("told").textContent = `${asked ? "For the question" : $("where").textContent}. ${changes}`;
  document.documentElement.dataset.drawn ??= Math.round(performance.now());
}

/* Each view begins where something changed. */
function reveal() {
  for (const view of document.querySelectorAll(".view")) {
    const first = view.querySelector("ins");
    if (first && first.offsetTop > 0.6 * view.clientHeight) view.scrollTop = first.offsetTop - 0.3 * view.clientHeight;
  }
}

function bubble(role, text, label) {
  return element("p", { className: `bubble ${role}` }, element("b", {}, label), element("span", { className: "text", dir: "auto", textContent: text }));
}

function* said() {
  const { said: messages, numbers, date, next } = moments[at];
  if (asked) {
    yield bubble("next", asked.text, "The question, asked at this turn");
    if (asked.expected) yield bubble("next", asked.expected, "The right answer");
    return;
  }
  const names = { user: start.user, assistant: start.assistant };
  if (!messages.length) yield element("p", { className: "muted" }, "Nothing has been said yet.");
  for (const [place, [role, text]] of messages.entries()) {
    yield bubble(role, text, `${names[role] ?? role} (${numbers[place]}${place || !date ? "" : `, ${date.slice(0, 10)}`})`);
  }
  if (next) yield bubble("next", next, `${start.user} says next; the memories show their views for this message`);
}

/* One memory. */

function frameOf(name) {
  return (asked ?? moments[at]).memories[name];
}

function changed(name) {
  const frame = frameOf(name);
  if (!frame) return { told: "not known at this turn" };
  const old = asked ? viewOf(name, asked.at) : viewOf(name, at - 1);
  const re = new Map(frame.rewritten?.map(([before, after]) => [after, before]));
  const before = new Set(re.values());
  const items = [];
  let place = 0, came = 0, went = 0, reworded = 0;
  const same = (end) => { for (; place < end; place++) items.push({ id: old[place], mark: "same" }); };
  for (const [from, removed, added] of frame.splices) {
    same(from);
    for (; place < from + removed; place++) {
      if (before.has(old[place])) continue;
      items.push({ id: old[place], mark: "went" });
      went += 1;
    }
    for (const id of added) {
      // What is only somewhere else now says nothing new.
      const moved = re.has(id) && pieces[id].at(-1).trim() === pieces[re.get(id)].at(-1).trim();
      items.push({ id, mark: moved ? "same" : re.has(id) ? "re" : "came", before: re.get(id) });
      came += !re.has(id);
      reworded += re.has(id) && !moved;
    }
  }
  same(old.length);
  const told = [[came, "added"], [went, "removed"], [reworded, "rewritten"]].filter(([count]) => count).map(([count, what]) => `${count} ${what}`);
  return { items, told: told.join(", ") || (asked ? "the same as without the question" : "as before") };
}

function card({ name, class: className, about, asks }) {
  const frame = frameOf(name);
  const title = element("h2", { title: about }, asks ? `${name} ◆` : name, element("small", {}, className));
  if (!frame) {
    const why = "The store has only the newest state of this memory; the last turn shows it.";
    return element("article", { className: "card" }, title, element("p", { className: "muted" }, why));
  }
  const { items, told } = changed(name);
  const label = (text) => element("p", { className: "muted label" }, text);
  const parts = [title, size(name, frame), bar(name, frame), label("compared with the memory that shows the most"), ...strip(frame)];
  parts.push(course(name), label("tokens from turn to turn"));
  if (asked) parts.push(answer(frame));
  const view = element("div", { className: "view", tabIndex: 0, role: "region", ariaLabel: `What ${name} shows` }, ...blocks(items, frame));
  parts.push(element("p", { className: "changes" }, told), view, element("p", { className: "muted cost" }, cost(name, frame)));
  if (frame.error) parts.push(element("p", { className: "error" }, frame.error));
  return element("article", { className: "card" }, ...parts);
}

function size(name, frame) {
  const before = asked ? moments[at].memories[name]?.tokens : moments[at - 1]?.memories[name]?.tokens;
  const more = before === undefined ? 0 : frame.tokens - before;
  const limit = frame.limit ? ` of ${number.format(frame.limit)}` : "";
  const kept = !asked && at && frame.tokens && "kept" in frame ? `, ${Math.round((100 * frame.kept) / frame.tokens)}% kept` : "";
  const delta = more ? ` (${more > 0 ? "+" : "−"}${number.format(Math.abs(more))})` : "";
  return element("p", { className: "size" }, element("b", {}, number.format(frame.tokens)), `${limit} tokens${delta}${kept}`);
}

function bar(name, frame) {
  const most = Math.max(1, ...Object.values((asked ?? moments[at]).memories).map((one) => one.tokens));
  const made = drawn("svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  made.append(drawn("rect", { width: (100 * frame.tokens) / most, height: 1, class: "new" }));
  made.append(drawn("rect", { width: asked ? 0 : (100 * frame.kept || 0) / most, height: 1, class: "kept" }));
  return made;
}

function strip(frame) {
  const runs = [...(frame.log ?? "").matchAll(/([a-z])(\d+)/g)].map(([, letter, count]) => [letter, Number(count)]);
  const total = runs.reduce((sum, [, count]) => sum + count, 0);
  const of = (letters) => runs.reduce((sum, [letter, count]) => sum + (letters.includes(letter) ? count : 0), 0);
  const reasons = [["r", "found, but no room"], ["n", "not found"], ["l", "learnt from"], ["o", "older than what is shown"], ["x", "not shown"]]
    .filter(([letter]) => of(letter)).map(([letter, reason]) => `${of(letter)} ${reason}`);
  const told = `${of("s")} of ${many(total, "message")} word for word${of("t") ? `, ${of("t")} retold in a text` : ""}`;
  const made = drawn("svg", { class: "strip", viewBox: `0 0 ${total || 1} 1`, preserveAspectRatio: "none", role: "img", "aria-label": told }, drawn("title"));
  made.firstChild.textContent = [told, ...reasons].join(", ");
  let place = 0;
  for (const [letter, count] of runs) {
    made.append(drawn("rect", { x: place, width: count, height: 1, class: letter }));
    place += count;
  }
  return [made, element("p", { className: "muted cost" }, [told, ...($("why").checked ? reasons : [])].join(", "))];
}

function course(name) {
  const tokens = moments.map((one) => one.memories[name]?.tokens ?? 0);
  const [most, end] = [Math.max(1, ...tokens), Math.max(1, start.moments, moments.length - 1)];
  const points = tokens.map((count, place) => `${(100 * place) / end},${20 - (18 * count) / most}`).join(" ");
  const label = `Tokens from turn to turn, at most ${number.format(most)}`;
  const made = drawn("svg", { class: "course", viewBox: "0 0 100 20", preserveAspectRatio: "none", role: "img", "aria-label": label }, drawn("title"));
  made.firstChild.textContent = label;
  made.append(drawn("polyline", { points }), drawn("line", { x1: (100 * at) / end, x2: (100 * at) / end, y1: 0, y2: 20 }));
  return made;
}

function answer(frame) {
  const says = frame.says === true ? "The view contains the right answer." : frame.says === false ? "The view does not contain the right answer." : "";
  // Where it is known what is right, an answer by rules tells nothing more, and may be about something else.
  if (start.rules && says) return element("p", { className: "answer" }, element("em", {}, says));
  const by = !frame.answer ? "No answer. " : start.rules ? "The rules answer: " : `${start.model} answers: `;
  return element("p", { className: "answer" }, element("b", {}, by), element("span", { dir: "auto", textContent: frame.answer }), element("em", {}, ` ${says}`));
}

function cost(name, frame) {
  if (asked) return "";
  const sum = [0, 0, 0];
  for (const one of moments.slice(0, at + 1)) one.memories[name]?.learning.forEach((count, place) => { sum[place] += count; });
  const told = ([calls, sent, received]) => `${many(calls, "call")}, ${number.format(sent)} + ${number.format(received)} tokens`;
  const loading = frame.loading?.[0] ? ` To show this: ${told(frame.loading)}.` : "";
  if (!sum[0]) return `Learning needed no calls.${loading}`;
  return `Learning cost ${frame.learning[0] ? told(frame.learning) : "nothing"} this turn; ${told(sum)} so far.${loading}`;
}

/* What is shown, with what came, went and was rewritten. */

function* blocks(items, frame) {
  const why = new Map($("why").checked ? frame.why?.map(([place, way, score]) => [place, `${ways[way]} ${score}`]) : []);
  const made = [];
  let place = 0;
  for (const item of items) {
    const piece = pieces[item.id];
    const head = piece.length > 1 ? piece.slice(0, -1) : null;
    const last = made.at(-1);
    // The new beginning of a text takes the place of the one that went.
    const joins = last && (!head || (last.parts.every((one) => one.mark === "went") && last.kind === "recalled" && head[1] === "recalled"));
    const block = joins ? last : { parts: [] };
    if (!joins) made.push(block);
    if (head) [block.role, block.kind, block.number] = head;
    const shown = item.mark !== "went";
    block.parts.push({ ...item, text: piece.at(-1), why: shown ? why.get(place) : undefined });
    place += shown;
  }
  if (!made.length) yield element("p", { className: "muted" }, asked ? "Nothing for this question." : "Nothing for this message.");
  const calm = (block) => ["message", "pinned"].includes(block.kind) && block.parts.every((one) => one.mark === "same");
  for (let from = 0, to = 0; from < made.length; from = to) {
    while (to < made.length && calm(made[to]) === calm(made[from])) to += 1;
    const some = made.slice(from, to);
    if (!calm(some[0]) || some.length < 4) yield* some.map(blockOf);
    else yield folded(some);
  }
}

function folded(some) {
  const made = element("details", { className: "same" }, element("summary", {}, `${some.length} messages as before`));
  made.addEventListener("toggle", () => { if (made.open && made.children.length === 1) made.append(...some.map(blockOf)); });
  return made;
}

function blockOf({ role, kind, number: place, parts }) {
  const gone = parts.filter(({ mark }) => mark === "went");
  const told = kind === "pinned" ? `pinned ${role} ${place}` : kind === "message" ? `${role} ${place}` : kind === "system" ? `system ${place}` : `memory, as ${role}`;
  if (gone.length === parts.length) {
    const text = element("span", { className: "text", dir: "auto" }, ...gone.map(part));
    return element("details", { className: "block gone" }, element("summary", {}, `− ${told} removed`), text);
  }
  // Much that went would hide what is there now.
  const much = gone.reduce((sum, { text }) => sum + text.length, 0) > MUCH;
  const shown = much ? parts.filter(({ mark }) => mark !== "went") : parts;
  const label = element("b", { className: "role" }, (parts.every(({ mark }) => mark === "came") ? "+ " : "") + told);
  const made = element("div", { className: "block" }, label, element("span", { className: "text", dir: "auto" }, ...shown.map(part)));
  if ($("why").checked) made.append(element("small", {}, reason(kind, parts.filter(({ mark }) => mark !== "went"))));
  if (much) made.append(element("details", { className: "gone" }, element("summary", {}, `− ${many(gone.length, "piece")} removed`), ...gone.map(part)));
  return made;
}

function reason(kind, parts) {
  const found = parts.filter(({ why }) => why).length;
  if (kind === "system") return "the system message: always shown";
  if (kind === "pinned") return "pinned: always shown, word for word";
  if (kind === "message") return found ? "in the log, word for word, and found" : "in the log, word for word";
  if (!found) return "written by the memory, from messages that it does not show";
  return `${found} of ${many(parts.length, "piece")} found: after each, the kind of search and the score`;
}

function part({ mark, text, id, before, why }) {
  const made = element(mark === "went" ? "del" : mark === "same" ? "span" : "ins", { className: mark });
  made.append(...(mark === "re" ? reworded(pieces[before].at(-1), pieces[id].at(-1)) : [text]));
  if (why) made.append(element("small", { className: "why" }, why));
  return made;
}

/* Words that went and words that came, by the longest run of words that both texts have. */
function* reworded(old, now) {
  const [some, others] = [old.match(/\s*\S+/g) ?? [], now.match(/\s*\S+/g) ?? []];
  if (some.length * others.length > 250000) {
    yield now;
    return;
  }
  const best = Array.from({ length: some.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = some.length - 1; i >= 0; i--) for (let j = others.length - 1; j >= 0; j--) {
    best[i][j] = some[i] === others[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  }
  for (let i = 0, j = 0; i < some.length || j < others.length;) {
    if (i < some.length && j < others.length && some[i] === others[j]) { yield others[j]; i += 1; j += 1; }
    else if (j < others.length && (i === some.length || best[i][j + 1] >= best[i + 1][j])) yield element("mark", {}, others[j++]);
    else yield element("del", {}, some[i++]);
  }
  yield now.match(/\s*$/)[0];
}

/* The graph. */

const places = new Map();
let listed = "";

function factsAt(name) {
  const known = new Set();
  const end = asked ? asked.at : at;
  for (let place = 0; place <= end; place++) {
    const [come, gone] = moments[place].memories[name]?.facts ?? [[], []];
    gone.forEach((id) => known.delete(id));
    come.forEach((id) => known.add(id));
  }
  return [...known];
}

function drawGraph() {
  const owner = start.memories.find(({ name }) => !hidden.has(name) && moments.some((one) => one.memories[name]?.facts?.[0].length));
  $("graph").hidden = !owner;
  if (!owner) return;
  const known = factsAt(owner.name).sort((one, other) => facts[one][4] - facts[other][4]);
  const came = new Set(moments[at].memories[owner.name]?.facts?.[0]);
  const gone = moments[at].memories[owner.name]?.facts?.[1] ?? [];
  const degrees = new Map();
  for (const id of known) for (const name of [facts[id][0], facts[id][2]]) degrees.set(name, (degrees.get(name) ?? 0) + 1);
  const names = [...degrees.keys()].filter((name) => degrees.get(name) > 1).sort();
  if (listed !== names.join("\n")) {
    listed = names.join("\n");
    const chosen = $("part").value;
    const options = [["newest", "the newest 20 facts"], ["all", "all of it"], ...names.map((name) => [`=${name}`, `around ${name}`])];
    $("part").replaceChildren(...options.map(([value, textContent]) => element("option", { value, textContent })));
    $("part").value = options.some(([value]) => value === chosen) ? chosen : "newest";
  }
  const part = $("part").value;
  const some = part === "all" ? known : part === "newest" ? known.slice(-20) : known.filter((id) => [facts[id][0], facts[id][2]].includes(part.slice(1)));
  $("graph-told").textContent = `${many(known.length, "fact")} in ${owner.name} at this turn; ${some.length === known.length ? "all" : some.length} drawn.`;
  $("drawing").replaceChildren(picture(some, came));
  const told = (id, mark) => element("li", { className: mark === "−" ? "went" : "" }, `${mark} ${facts[id][0]} · ${facts[id][3] ? "not: " : ""}${facts[id][1]} · ${facts[id][2]}`);
  $("facts").replaceChildren(...some.map((id) => told(id, came.has(id) ? "+" : "")));
  $("news").replaceChildren(...[...came].map((id) => told(id, "+")), ...gone.map((id) => told(id, "−")));
}

function picture(some, came) {
  const nodes = [...new Set(some.flatMap((id) => [facts[id][0], facts[id][2]]))];
  const wide = Math.max(320, $("drawing").clientWidth || 960);
  const high = Math.max(240, Math.min(900, 80 * Math.sqrt(nodes.length) * (wide < 600 ? 1.6 : 1)));
  layOut(nodes, some, wide, high);
  const label = `A graph of ${many(nodes.length, "name")} and ${many(some.length, "fact")}; new lines are listed below it`;
  const made = drawn("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label });
  for (const id of some) {
    const [subject, relation, object, denied] = facts[id];
    const [[x, y], [toX, toY]] = [places.get(subject), places.get(object)];
    const line = drawn("line", { x1: x, y1: y, x2: toX, y2: toY, class: `${came.has(id) ? "came" : ""} ${denied ? "denied" : ""}` });
    const text = drawn("text", { x: (x + toX) / 2, y: (y + toY) / 2 - 3, class: "relation" });
    text.textContent = some.length <= (wide < 600 ? 8 : 30) ? short(`${denied ? "not " : ""}${relation}`, 22) : "";
    const group = drawn("g", {}, line, text, drawn("title"));
    group.lastChild.textContent = `${subject} ${denied ? "not: " : ""}${relation} ${object} (message ${facts[id][4]})`;
    made.append(group);
  }
  for (const name of nodes) {
    const [x, y] = places.get(name);
    const side = x < wide * 0.15 ? "start" : x > wide * 0.85 ? "end" : "middle";
    const text = drawn("text", { x, y: y + 17, "text-anchor": side });
    text.textContent = short(name, 26);
    made.append(drawn("circle", { cx: x, cy: y, r: 5 }), text);
  }
  return made;
}

const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/* Names push each other away, facts pull them together, all fall to the middle; who has a place begins there. */
function layOut(nodes, some, wide, high) {
  const spread = 0.4 * Math.sqrt((wide * high) / Math.max(1, nodes.length));
  nodes.forEach((name, place) => {
    const turn = place * 2.4, far = 0.45 * Math.sqrt((place + 0.5) / nodes.length);
    if (!places.has(name)) places.set(name, [wide * (0.5 + far * Math.cos(turn)), high * (0.5 + far * Math.sin(turn))]);
  });
  const spots = nodes.map((name) => places.get(name));
  const index = new Map(nodes.map((name, place) => [name, place]));
  const edges = some.map((id) => [index.get(facts[id][0]), index.get(facts[id][2])]);
  const rounds = nodes.length > 150 ? 60 : 200;
  for (let round = 0; round < rounds; round++) {
    const moves = spots.map(([x, y]) => [(wide / 2 - x) * 0.5, ((high / 2 - y) * 0.5 * wide) / high]);
    for (let i = 0; i < spots.length; i++) for (let j = 0; j < i; j++) {
      const [dx, dy] = [spots[i][0] - spots[j][0] || 0.1, spots[i][1] - spots[j][1] || 0.1];
      const force = (spread * spread) / (dx * dx + dy * dy);
      moves[i][0] += dx * force; moves[i][1] += dy * force; moves[j][0] -= dx * force; moves[j][1] -= dy * force;
    }
    for (const [i, j] of edges) {
      const [dx, dy] = [spots[i][0] - spots[j][0], spots[i][1] - spots[j][1]];
      const pull = Math.hypot(dx, dy) / spread / 3;
      moves[i][0] -= dx * pull; moves[i][1] -= dy * pull; moves[j][0] += dx * pull; moves[j][1] += dy * pull;
    }
    const most = Math.max(1, 40 * (1 - round / rounds));
    moves.forEach(([dx, dy], place) => {
      const far = Math.min(most, Math.hypot(dx, dy)) / (Math.hypot(dx, dy) || 1);
      spots[place][0] += dx * far;
      spots[place][1] += dy * far;
    });
  }
  for (const [axis, room] of [[0, wide], [1, high]]) {
    const all = spots.map((spot) => spot[axis]);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    for (const spot of spots) spot[axis] = most > least ? 40 + ((room - 80) * (spot[axis] - least)) / (most - least) : room / 2;
  }
}

/* What the reader does. */

const chosen = (moment) => { following = false; go(moment); };
$("slider").addEventListener("input", () => chosen(Number($("slider").value)));
$("back").addEventListener("click", () => chosen(at - 1));
$("on").addEventListener("click", () => chosen(at + 1));
$("why").addEventListener("change", draw);
$("part").addEventListener("change", drawGraph);
$("asked").addEventListener("change", () => go(at, questions[$("asked").value - 1] ?? null));
addEventListener("hashchange", () => go(fromAddress() ?? at));

/* The turn that the address names: #12. */
function fromAddress() {
  const found = /^#(\d+)$/.exec(location.hash);
  return found ? Number(found[1]) : null;
}

/* Where the page opens: the turn of the address, or the question that most divides the memories. */
function begin() {
  const split = ({ memories }) => {
    const says = Object.values(memories).map((frame) => frame.says);
    return Math.min(...[true, false].map((wanted) => says.filter((one) => one === wanted).length));
  };
  const question = questions.reduce((best, one) => (best && split(best) >= split(one) ? best : one), null);
  go(fromAddress() ?? moments.length - 1, fromAddress() === null ? question : null);
}

/* With a server: its lines as they come, and what is said and asked. */

async function sent(path, body) {
  const method = body ? "POST" : "GET";
  const headers = { Authorization: `token ${token}`, "Content-Type": "application/json" };
  const reply = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const found = await reply.json();
  if (!reply.ok) throw new Error(found.error);
  return found;
}

async function follow() {
  for (let seen = 0, done = false; !done;) {
    const found = await sent(`lines?after=${seen}`);
    found.lines.forEach(take);
    seen += found.lines.length;
    done = found.done;
    if (found.error) throw new Error(found.error);
    go(following ? fromAddress() ?? moments.length - 1 : at, asked);
  }
  if (following) begin();
  $("forms").hidden = false;
  $("say").hidden = start.stored;
}

function form(id, input, path, body, after) {
  $(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = $(id).querySelector("button");
    button.disabled = true;
    $("wrong").textContent = "";
    try {
      (await sent(path, body())).lines.forEach(take);
      $(input).value = "";
      after();
    } catch (error) {
      $("wrong").textContent = error.message;
    }
    button.disabled = false;
  });
}

form("say", "words", "say", () => ({ text: $("words").value, by: $("by").value }), () => chosen(moments.length - 1));
form("ask", "question", "ask", () => ({ text: $("question").value, moment: at }), () => go(at, questions.at(-1)));

const inside = $("lines");
if (inside) {
  JSON.parse(inside.textContent).forEach(take);
  begin();
} else {
  follow().catch((error) => { $("wrong").textContent = error.message; $("forms").hidden = false; });
}
