/* The profile's editor beside its form: shares of the weights, the list to add from, where to go on after a button.
   Everything is also done by the server when the form is sent. */
import "./insert-at-cursor.js";
import { isButton } from "./late-answers.js";
import "./live-faults.js";

const form = () => document.getElementById("profile-form");

/* The share of each weight in all of them. */
const shares = () => {
  const rows = [...document.querySelectorAll("[data-share]")];
  const weights = rows.map((row) => Math.max(0, Number(row.querySelector("[data-weight]")?.value || 0)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  rows.forEach((row, index) => {
    const share = total > 0 ? weights[index] / total : 0;
    row.querySelector("[data-share-bar]")?.setAttribute("width", `${(100 * share).toFixed(2)}%`);
    const words = weights[index] > 0 ? `${(100 * share).toFixed(1)}\u00a0%` : "report only";
    row.querySelector("[data-share-words]").textContent = words;
  });
};

const copyWords = () => {
  for (const live of document.querySelectorAll("[data-live-words]")) {
    const shown = document.querySelector(`[data-words-of="${live.dataset.liveWords}"]`);
    if (shown) shown.textContent = live.textContent;
  }
};

const rename = (input) => {
  const [, key, name] = input.name.match(/^scorers-(\d+)-(name|id)$/) ?? [];
  if (!name) return;
  const typed = document.getElementById(`scorers-${key}-name`)?.value || document.getElementById(`scorers-${key}-id`)?.value;
  for (const place of document.querySelectorAll(`[data-name-of="${key}"]`)) place.textContent = typed || "Scorer";
};

const filterTypes = (words) => {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const family of document.querySelectorAll("[data-family]")) {
    const name = family.querySelector("h3").textContent;
    const types = [...family.querySelectorAll("[data-type]")];
    for (const type of types) {
      const text = `${name} ${type.textContent}`.toLowerCase();
      type.hidden = !wanted.every((word) => text.includes(word));
      if (!type.hidden) found += 1;
    }
    family.hidden = types.every((type) => type.hidden);
  }
  document.getElementById("add-none").hidden = found > 0;
};

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-weight]")) shares();
  else if (event.target.name) rename(event.target);
});
/* Looking for a scorer changes nothing, so the form does not hear of it. */
document.addEventListener("input", (event) => {
  if (event.target.id !== "add-search") return;
  event.stopPropagation();
  filterTypes(event.target.value);
}, true);
document.addEventListener("toggle", (event) => {
  const state = document.querySelector(`[data-open="${event.target.dataset?.card}"]`);
  if (state) state.value = event.target.open ? "1" : "";
}, true);
/* Where to go on after a button: the button itself while it is there to press again, else the card it made or left. */
const goOn = (button) => {
  const id = form().dataset.focus;
  form().dataset.focus = "";
  const card = id ? document.getElementById(id) : null;
  if (!card) return;
  if (card.matches("input, textarea, select, button")) {
    card.focus();
    return;
  }
  const inside = button.id.endsWith("-remove")
    ? card.querySelector("[id$=-remove]")
    : card.querySelector(".card-body input:not([type=hidden]), .card-body textarea");
  const stays = button.isConnected && button.checkVisibility() && !button.disabled;
  (stays ? button : inside ?? card.querySelector("summary"))?.focus({ preventScroll: true });
  card.scrollIntoView({ block: "nearest" });
};

document.addEventListener("htmx:after:swap", (event) => {
  copyWords();
  if (isButton(event)) goOn(event.detail.ctx.sourceElement);
});
