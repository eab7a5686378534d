"use strict";
/* Looks at the pages in the frames beside it: what overflows, what overlaps, what cannot be read; then uses them. */
const FRAMES = [...document.querySelectorAll("iframe")];

function look(frame) {
  const page = frame.contentDocument, view = frame.contentWindow, faults = [];
  const width = frame.clientWidth;
  if (page.documentElement.scrollWidth > width) faults.push(`the page is ${page.documentElement.scrollWidth} wide, not ${width}`);
  const texts = [];
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.textContent.trim() || ["SCRIPT", "NOSCRIPT", "TITLE", "title", "OPTION"].includes(parent.tagName) || !parent.checkVisibility()) continue;
    const range = page.createRange();
    range.selectNodeContents(node);
    const clipped = parent.closest(".scroll, .view");
    for (const box of range.getClientRects()) texts.push({ node, parent, box, clipped, said: node.textContent.trim().slice(0, 40) });
  }
  for (const { box, clipped, said, parent } of texts) {
    const whole = !clipped || parent.closest(".heading");
    if (whole && (box.right > width + 1 || box.left < -1)) faults.push(`out of the page: ${said}`);
    const drawing = parent.closest("svg")?.getBoundingClientRect();
    if (drawing && (box.right > drawing.right + 1 || box.left < drawing.left - 1 || box.bottom > drawing.bottom + 1)) faults.push(`out of its chart: ${said}`);
    if (box.height < 11) faults.push(`too small, ${box.height}: ${said}`);
    const contrast = contrastOf(view, parent);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(1)}: ${said}`);
  }
  for (const [place, one] of texts.entries()) {
    for (const other of texts.slice(place + 1)) {
      if (one.node === other.node || one.clipped !== other.clipped) continue;
      const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (across > 1 && down > 4 && !sticky(one) && !sticky(other)) faults.push(`overlap: ${one.said} / ${other.said}`);
    }
  }
  return { faults, texts: texts.length, charts: [...page.querySelectorAll("svg")].filter((one) => one.checkVisibility()).length };
}

function sticky(one) {
  const cell = one.parent.closest("th");
  return cell && getComputedStyle(cell).position === "sticky";
}

function contrastOf(view, one) {
  const style = view.getComputedStyle(one);
  const ink = one.closest("svg") ? style.fill : style.color;
  let behind = one;
  while (behind && /rgba\(0, 0, 0, 0\)/.test(view.getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
  const lights = [ink, behind ? view.getComputedStyle(behind).backgroundColor : "rgb(255, 255, 255)"].map(light);
  return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
}

function light(colour) {
  const [red, green, blue] = colour.match(/[\d.]+/g).slice(0, 3).map((one) => one / 255).map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function use(frame) {
  const page = frame.contentDocument, rows = () => [...page.querySelectorAll("#questions tbody tr[data-place]")];
  const order = () => rows().map((row) => Number(row.dataset.place));
  const change = (id, values) => { Object.assign(page.getElementById(id), values).dispatchEvent(new Event("input")); };
  const seen = () => rows().filter((row) => !row.hidden).length;
  const result = { before: order() };
  const head = page.querySelector("#questions thead th:nth-child(5)");
  head.querySelector("button").click();
  result.sorted = rows().map((row) => Number(row.cells[4].dataset.order));
  result.direction = head.getAttribute("aria-sort");
  change("words", { value: "number 7" });
  result.words = seen();
  change("words", { value: "" });
  change("kind", { value: "temporal" });
  result.kind = seen();
  change("kind", { value: "" });
  change("apart", { checked: true });
  result.apart = seen();
  change("apart", { checked: false });
  const row = rows().find((one) => one.dataset.place === "3");
  row.querySelector("button").click();
  const opened = row.nextElementSibling;
  opened.querySelectorAll("details").forEach((one) => { one.open = true; });
  result.marks = [...opened.querySelectorAll("mark")].map((one) => [one.className, one.textContent]);
  result.views = [...opened.querySelectorAll("summary b")].map((one) => one.textContent);
  result.scripts = page.querySelectorAll("#questions script, #questions img").length;
  result.dark = frame.contentWindow.matchMedia("(prefers-color-scheme: dark)").matches;
  return result;
}

const found = FRAMES.map((frame) => ({ width: frame.clientWidth, closed: look(frame), used: use(frame), opened: look(frame) }));
document.getElementById("found").textContent = JSON.stringify(found);
