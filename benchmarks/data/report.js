"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

/* Sorting: by data-order where a cell has one, within each body of a table. */
for (const table of document.querySelectorAll("table.sortable")) {
  table.querySelectorAll("thead th").forEach((head, place) => {
    const button = element("button", "sort", ...head.childNodes);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(table, head, place));
  });
}

function sort(table, head, place) {
  const falling = head.getAttribute("aria-sort") !== "descending" && place > 0;
  const rising = head.getAttribute("aria-sort") !== "ascending" && place === 0;
  table.querySelectorAll("th[aria-sort]").forEach((one) => one.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", falling || (place === 0 && !rising) ? "descending" : "ascending");
  const sign = head.getAttribute("aria-sort") === "descending" ? -1 : 1;
  table.querySelectorAll("tr.opened").forEach((one) => close(one.previousElementSibling));
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter((row) => !row.classList.contains("heading"));
    rows.sort((one, other) => sign * compare(key(one, place), key(other, place)));
    body.append(...rows);
  }
}

function key(row, place) {
  const cell = row.cells[place];
  if (!cell) return -1;
  return cell.dataset.order === undefined ? cell.textContent.trim() : Number(cell.dataset.order);
}

function compare(one, other) {
  return typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
}

/* The questions: a filter, and what was shown, when somebody asks for it. */
const questions = document.getElementById("questions");
if (questions) {
  const words = document.getElementById("words");
  const kind = document.getElementById("kind");
  const apart = document.getElementById("apart");
  const rows = [...questions.tBodies[0].rows];
  const filter = () => {
    let count = 0;
    for (const row of rows) {
      const seen = row.textContent.toLowerCase().includes(words.value.trim().toLowerCase())
        && (!kind.value || row.dataset.kind === kind.value) && (!apart.checked || row.dataset.apart);
      if (!seen) close(row);
      row.hidden = !seen;
      count += seen;
    }
    document.getElementById("count").textContent = `${count} of ${rows.length}`;
  };
  for (const one of [words, kind, apart]) one.addEventListener("input", filter);
  document.getElementById("filter").hidden = false;
  filter();
  for (const row of rows) {
    row.querySelector("button").addEventListener("click", () => (row.nextElementSibling?.matches(".opened") ? close(row) : open(row)));
  }
}

function close(row) {
  row.querySelector("button")?.setAttribute("aria-expanded", "false");
  if (row.nextElementSibling?.matches(".opened")) row.nextElementSibling.remove();
}

function open(row) {
  const question = data.questions[row.dataset.place];
  const cell = element("td", "", element("div", "shown", ...facts(question), ...views(row, question)));
  cell.colSpan = row.cells.length;
  row.after(element("tr", "opened", cell));
  row.querySelector("button").setAttribute("aria-expanded", "true");
}

function* facts(question) {
  if (question.answer) yield element("p", "", element("b", "", "Answer: "), question.answer);
  for (const text of question.evidence) yield element("p", "quote", element("b", "", "Evidence: "), text);
  for (const text of question.stale) yield element("p", "quote", element("b", "", "No longer true: "), text);
}

function* views(row, question) {
  for (const [place, found] of question.memories.entries()) {
    const result = row.cells[place + 1].textContent.trim();
    const title = element("summary", "", element("b", "", data.names[place]), ` ${result}, ${found.tokens.toLocaleString("en")} tokens`);
    const body = element("div", "view");
    if (found.reply) body.append(element("p", "", element("b", "", "It answered: "), found.reply));
    if (!found.shown) body.append(element("p", "muted", "Its view was not kept."));
    else if (!found.shown.length) body.append(element("p", "muted", "It showed nothing."));
    for (const [role, lines] of found.shown ?? []) {
      const text = lines.map((line) => data.lines[line]).join("\n");
      body.append(element("p", "message", element("span", "speaker", role), " ", ...marked(text, question)));
    }
    yield element("details", "", title, body);
  }
}

/* Evidence is found whatever its white space; of a long one, runs of five words are marked. */
function marked(text, question) {
  const spans = [];
  for (const [kindOf, texts] of [["stale", question.stale], ["evidence", question.evidence]]) {
    for (const wanted of texts) spans.push(...found(text, wanted).map(([from, to]) => [from, to, kindOf]));
  }
  const kinds = new Array(text.length).fill("");
  for (const [from, to, kindOf] of spans) kinds.fill(kindOf, from, to);
  const parts = [];
  for (let from = 0, to = 0; from < text.length; from = to) {
    while (to < text.length && kinds[to] === kinds[from]) to += 1;
    const part = text.slice(from, to);
    parts.push(kinds[from] ? element("mark", kinds[from], part) : part);
  }
  return parts;
}

function found(text, wanted) {
  const all = wanted.split(/\s+/).filter(Boolean);
  const whole = spansOf(text, all);
  if (whole.length || all.length <= 40) return whole;
  return all.slice(4).flatMap((_, place) => spansOf(text, all.slice(place, place + 5)));
}

function spansOf(text, wanted) {
  const pattern = wanted.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  return [...text.matchAll(new RegExp(pattern, "g"))].map((match) => [match.index, match.index + match[0].length]);
}
