/* The profile's editor beside its form: errors at their fields while somebody types, shares of the weights, the list
   to add from. Everything is also done by the server when the form is sent. */
const form = () => document.getElementById("profile-form") ?? document.getElementById("try-form");

/* Errors come as a list; each is put at its field, and nothing takes the focus. */
const fieldOf = (control) => control.closest(".field") ?? control;
const noteId = (id) => `${id}-error`;

const describe = (control, id, wrong) => {
  const ids = new Set((control.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
  if (wrong) ids.add(id);
  else ids.delete(id);
  if (ids.size) control.setAttribute("aria-describedby", [...ids].join(" "));
  else control.removeAttribute("aria-describedby");
};

const clearFault = (note) => {
  const control = document.getElementById(note.id.slice(0, -"-error".length));
  note.closest(".field")?.classList.remove("field-invalid");
  if (control) {
    control.removeAttribute("aria-invalid");
    describe(control, note.id, false);
  }
  note.remove();
};

const showFault = (id, message) => {
  const control = document.getElementById(id) ?? document.querySelector(`[name="${CSS.escape(id)}"]`);
  if (!control?.matches("input, textarea, select")) return;
  const field = fieldOf(control);
  let note = document.getElementById(noteId(id));
  if (!note) {
    note = document.getElementById("field-error-template").content.firstElementChild.cloneNode(true);
    note.id = noteId(id);
    (control.closest(".check") ?? field).append(note);
  }
  const words = note.querySelector("span");
  if (words.textContent !== message) words.textContent = message;
  field.classList.add("field-invalid");
  if (control.type !== "radio") control.setAttribute("aria-invalid", "true");
  describe(control, note.id, true);
};

const showFaults = () => {
  const faults = new Map();
  for (const item of document.querySelectorAll("[data-fault]")) {
    const { fault, message } = item.dataset;
    faults.set(fault, faults.has(fault) ? `${faults.get(fault)} ${message}` : message);
  }
  for (const note of form().querySelectorAll(".field-error[id$='-error']")) {
    if (!faults.has(note.id.slice(0, -"-error".length))) clearFault(note);
  }
  for (const [id, message] of faults) if (id) showFault(id, message);
};

/* What stands at a field that is folded away must be seen when it is gone to. */
const reveal = (target) => {
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
};

const goTo = (id) => {
  const target = document.getElementById(id) ?? document.querySelector(`[name="${CSS.escape(id)}"]`);
  reveal(target);
  target?.focus();
  target?.scrollIntoView({ block: "center" });
};

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
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-fault]");
  if (!link) return;
  event.preventDefault();
  goTo(link.dataset.fault);
});
/* A number field that holds no number is sent as if it were empty; say so before anything is lost. */
document.addEventListener("submit", (event) => {
  const wrong = [...event.target.elements].find((input) => input.validity?.badInput);
  if (!wrong) return;
  event.preventDefault();
  reveal(wrong);
  wrong.reportValidity();
}, true);
document.addEventListener("htmx:after:swap", (event) => {
  showFaults();
  copyWords();
  const focus = form().dataset.focus;
  if (!focus || !event.target.matches?.("button")) return;
  form().dataset.focus = "";
  const pressed = document.activeElement !== document.body && document.activeElement?.id === event.target.id;
  const card = document.getElementById(focus);
  if (!pressed) (card?.querySelector(".card-body input:not([type=hidden]), .card-body textarea, summary") ?? card)?.focus();
  card?.scrollIntoView({ block: "nearest" });
});
