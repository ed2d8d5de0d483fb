/* Errors at their fields while somebody types: the server answers a list of them, and nothing takes the focus. */
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
  const control = document.getElementById(id);
  if (!control?.matches("input, textarea, select, fieldset")) return;
  const field = control.closest(".field") ?? control;
  let note = document.getElementById(noteId(id));
  if (!note) {
    note = document.getElementById("field-error-template").content.firstElementChild.cloneNode(true);
    note.id = noteId(id);
    (control.closest(".check") ?? field).append(note);
  }
  const words = note.querySelector("span");
  if (words.textContent !== message) words.textContent = message;
  field.classList.add("field-invalid");
  if (!control.matches("fieldset")) control.setAttribute("aria-invalid", "true");
  describe(control, note.id, true);
};

export const showFaults = () => {
  const faults = new Map();
  for (const item of document.querySelectorAll("[data-fault]")) {
    const { fault, message } = item.dataset;
    faults.set(fault, faults.has(fault) ? `${faults.get(fault)} ${message}` : message);
  }
  for (const note of document.querySelectorAll("form[data-live] .field-error[id$='-error']")) {
    if (!faults.has(note.id.slice(0, -"-error".length))) clearFault(note);
  }
  for (const [id, message] of faults) if (id) showFault(id, message);
};

/* What stands at a field that is folded away must be seen when it is gone to. */
export const reveal = (target) => {
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
};

const goTo = (id) => {
  const target = document.getElementById(id);
  reveal(target);
  (target?.matches("fieldset") ? target.querySelector("input:not([type=hidden]), button") : target)?.focus();
  target?.scrollIntoView({ block: "center" });
};

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
document.addEventListener("htmx:after:swap", showFaults);
