/* What is wrong with the page as it is seen: too wide, hard to read, without a name for who does not see it. */
(() => {
  const faults = [], width = innerWidth;
  if (document.documentElement.scrollWidth > width) faults.push(`the page is ${document.documentElement.scrollWidth} wide, not ${width}`);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgba(getComputedStyle(document.body).backgroundColor);
  };
  const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const unseen = ["SCRIPT", "STYLE", "TITLE", "title", "OPTION"].includes(parent.tagName) || parent.closest(".hidden, :disabled");
    if (!node.data.trim() || unseen || !parent.checkVisibility()) continue;
    texts += 1;
    const said = node.data.trim().slice(0, 40);
    const range = document.createRange();
    range.selectNodeContents(node);
    const scrolls = parent.closest(".view, .bubble, .answer, #which fieldset");
    for (const box of range.getClientRects()) {
      if (!scrolls && (box.right > width + 1 || box.left < -1)) faults.push(`out of the page: ${said}`);
      if (box.height < 10) faults.push(`too small, ${box.height}: ${said}`);
    }
    const style = getComputedStyle(parent), inDrawing = parent.closest("svg");
    const [one, other] = [light(rgba(inDrawing ? style.fill : style.color)), light(ground(parent))].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(1)}: ${said}`);
  }
  for (const one of document.querySelectorAll("button, input, select, summary, [tabindex], svg[role=img]")) {
    const name = one.getAttribute("aria-label") || one.ariaLabel || one.textContent.trim() || [...(one.labels ?? [])].map((label) => label.textContent.trim()).join("");
    if (!name) faults.push(`no name: ${one.tagName} ${one.id}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  faults.push(...ids.filter((id, place) => ids.indexOf(id) !== place).map((id) => `twice: ${id}`));
  return { faults: [...new Set(faults)], texts };
})()
