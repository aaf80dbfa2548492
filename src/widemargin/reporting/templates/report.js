// What the parts of the page share: its data, elements, number formats, the tooltip.

const page = JSON.parse(document.getElementById("payload").textContent);
const THIN = "\u202f"; // a narrow space that does not break
const NONE = "—";

function element(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

// A name, which may be broken where its words meet. `formats.breakable` does the same.
function named(name) {
  const words = name.split(/(?<=[_.:/-])(?=\w)|(?<=[a-z])(?=[A-Z])/);
  return element("bdi", {}, ...words.flatMap((word, i) => (i ? [element("wbr"), word] : [word])));
}

function drawn(name, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  return furnish(node, attributes, children);
}

function furnish(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key.startsWith("--")) node.style.setProperty(key, value);
    else if (value !== null && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

function count(value) {
  if (value === null) return NONE;
  return String(Math.round(value)).replace("-", "−").replace(/\B(?=(\d{3})+$)/g, THIN);
}

function decimal(value, digits = 3) {
  if (value === null) return NONE;
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  const plain = size >= -3 && size <= 5;
  const text = plain
    ? value.toFixed(Math.max(0, digits - 1 - size))
    : value.toExponential(digits - 1).replace("+", "");
  return text.replaceAll("-", "−");
}

function brief(value) {
  return Number.isInteger(value) && Math.abs(value) < 1e6 ? count(value) : decimal(value);
}

// One number of decimals for a whole column, four digits for its largest value.
function aligned(largest) {
  const size = largest > 0 ? Math.floor(Math.log10(largest)) : 0;
  if (size < -3 || size > 5) return decimal;
  const places = Math.max(0, 3 - size);
  return (value) => (value === null ? NONE : value.toFixed(places).replace("-", "−"));
}

function percent(value, places = 1) {
  if (value === null) return NONE;
  const least = 10 ** -places;
  // Little is not 0.
  if (value > 0 && 100 * value < least / 2) return "<" + THIN + least + THIN + "%";
  return (100 * value).toFixed(places) + THIN + "%";
}

function probability(value) {
  if (value === null) return NONE;
  if (value < 0.001) return "<" + THIN + "0.001";
  return value.toFixed(value < 0.1 ? 3 : 2);
}

function interval(low, high, format = count) {
  if (low === null || high === null) return NONE;
  const [from, to] = [format(low), format(high)];
  // A dash before a minus would be hard to read.
  return from === to ? from : from + (to.startsWith("−") ? " to " : "–") + to;
}

const tooltip = document.getElementById("tooltip");

// Lines are texts, the first in bold; the tooltip keeps inside the window.
function showTooltip(lines, x, y) {
  tooltip.replaceChildren(
    ...lines.map((line, i) => element(i ? "div" : "strong", {}, line)),
  );
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  const left = x + 14 + width < room ? x + 14 : Math.max(4, x - 14 - width);
  const top = y - height - 10 > 0 ? y - height - 10 : y + 16;
  tooltip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

function hideTooltip() {
  tooltip.hidden = true;
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTooltip();
});

const NARROWEST = 100; // pixels; less is an element that is not laid out yet

// Draws now and whenever the element's width changes.
function redrawn(node, draw) {
  let width = 0;
  const redraw = () => {
    const now = Math.floor(node.clientWidth);
    if (now >= NARROWEST && now !== width) draw((width = now));
  };
  new ResizeObserver(redraw).observe(node);
  redraw();
}

// Round steps for an axis: about `wanted` of them from low to high.
function ticks(low, high, wanted) {
  const rough = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((s) => s * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}
