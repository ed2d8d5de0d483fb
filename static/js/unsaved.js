/* Asks before a page with unsaved changes is left. A form asks for it with the attribute data-unsaved;
   data-unsaved-except lists the beginnings of names that are not kept anyway. */
const forms = new Map();

const state = (form) => {
  const except = (form.dataset.unsavedExcept ?? "").split(" ").filter(Boolean);
  const counts = (name) => name !== "csrfmiddlewaretoken" && !except.some((start) => name.startsWith(start));
  const entries = [...new FormData(form).entries()].filter(([name]) => counts(name));
  return JSON.stringify(entries.map(([name, value]) => [name, value instanceof File ? value.name : value]));
};

/* data-unsaved="changed" marks a form that the server gave back with changes already in it. */
const watch = () => {
  for (const form of forms.keys()) if (!form.isConnected) forms.delete(form);
  for (const form of document.querySelectorAll("form[data-unsaved]")) {
    if (!forms.has(form)) forms.set(form, form.dataset.unsaved === "changed" ? null : state(form));
  }
};

export const hasUnsavedChanges = () => [...forms].some(([form, saved]) => form.isConnected && state(form) !== saved);

let leaving = false;
document.addEventListener("submit", (event) => {
  // A form that htmx sends stays on the page; its answer decides what is saved.
  if (forms.has(event.target) && !event.defaultPrevented) leaving = true;
});
window.addEventListener("pageshow", () => { leaving = false; });
window.addEventListener("beforeunload", (event) => {
  if (!leaving && hasUnsavedChanges()) event.preventDefault();
});

/* An answer that carries HX-Redirect leaves on purpose. */
document.addEventListener("htmx:after:request", (event) => {
  const { ctx } = event.detail;
  if (ctx.hx?.redirect || ctx.hx?.refresh) leaving = true;
});
document.addEventListener("htmx:after:swap", watch);
watch();
