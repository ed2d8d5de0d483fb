/* The keyboard, menus and dialogs of every page. Everything here has a way without it: a link, a form, a summary. */

const typing = (element) =>
  element instanceof HTMLElement &&
  (element.isContentEditable || element.matches("input:not([type=checkbox]):not([type=radio]), textarea, select"));

const rows = () => [...document.querySelectorAll("[data-row]")].filter((row) => row.offsetParent !== null);

/* What takes the focus for a row: itself when it can, else its first link. */
const handle = (row) => (row.matches("a, summary, button, [tabindex]") ? row : row.querySelector("a.row-link, a, summary, button"));

const move = (step) => {
  const all = rows();
  if (all.length === 0) return;
  const here = all.findIndex((row) => row.contains(document.activeElement));
  const next = here === -1 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, here + step));
  const target = handle(all[next]);
  target?.focus();
  target?.scrollIntoView({ block: "nearest" });
};

const follow = (selector) => document.querySelector(selector)?.click();

const openDialog = (id) => {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
};

const focusSearch = () => {
  const search = document.getElementById("search");
  search?.focus();
  search?.select();
};

const keys = {
  j: () => move(1),
  k: () => move(-1),
  "[": () => follow("main a[rel~=prev]"),
  "]": () => follow("main a[rel~=next]"),
  f: () => follow("[data-failures-link]"),
  "/": focusSearch,
  "?": () => openDialog("keyboard-help"),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeMenus();
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target) || document.querySelector("dialog[open]")) return;
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

/* Menus are <details>: one open at a time, closed by Escape and by a click elsewhere. */
function closeMenus(except = null) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu === except) continue;
    const inside = menu.contains(document.activeElement) && document.activeElement !== document.body;
    menu.open = false;
    if (inside && !except) menu.querySelector("summary")?.focus();
  }
}

document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (!target) return;
  closeMenus(target.closest("details.menu"));
  // Browsers with command attributes open and close dialogs by themselves.
  if (!("commandForElement" in HTMLButtonElement.prototype)) {
    const opener = target.closest("[data-dialog]");
    if (opener) openDialog(opener.dataset.dialog);
    target.closest("[data-dialog-close]")?.closest("dialog")?.close();
  }
  if (target instanceof HTMLDialogElement && target.open) target.close(); // a click on the backdrop
  const copier = target.closest("[data-copy]");
  if (copier) copy(copier);
});

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(source?.value ?? source?.textContent ?? "");
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select the text and copy it";
  }
  setTimeout(() => { button.textContent = before; }, 2000);
}

/* What stands opened is in the address, so that it can be sent as a link. */
const openAddressed = () => {
  const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  const details = target?.closest("details[data-address]");
  if (details) details.open = true;
};
document.addEventListener("click", (event) => {
  const details = event.target instanceof Element ? event.target.closest("summary")?.parentElement : null;
  if (!(details instanceof HTMLDetailsElement) || !details.matches("[data-address][id]")) return;
  // The click has not opened or closed it yet.
  const address = details.open ? location.pathname + location.search : `#${details.id}`;
  history.replaceState(history.state, "", address);
});
window.addEventListener("hashchange", openAddressed);
openAddressed();
