/* Messages that say what was done or what went wrong; those with a link or an error stay until dismissed. */
const SHOWN_FOR = 6000;
const region = document.getElementById("toasts");

const leave = (toast) => {
  toast.classList.add("toast-leaving");
  setTimeout(() => toast.remove(), 150);
};

const watch = (toast) => {
  if (toast.dataset.watched !== undefined) return;
  toast.dataset.watched = "";
  toast.querySelector("[data-toast-close]")?.addEventListener("click", () => leave(toast));
  const stays = toast.dataset.toast === "error" || toast.querySelector("a");
  if (stays) return;
  let timer = setTimeout(() => leave(toast), SHOWN_FOR);
  toast.addEventListener("mouseenter", () => clearTimeout(timer));
  toast.addEventListener("mouseleave", () => { timer = setTimeout(() => leave(toast), SHOWN_FOR); });
};

/* The error toast is copied from a template of the page, so that text stays text. */
export const showError = (words) => {
  const template = document.getElementById("toast-template");
  if (!region || !template) return;
  const toast = template.content.firstElementChild.cloneNode(true);
  toast.querySelector("[data-toast-text]").textContent = words;
  region.append(toast);
};

/* One sentence out of a refused answer: an error page's heading, a fragment's notice, or the API's JSON. */
const sentence = (text, status) => {
  try {
    return JSON.parse(text).error.message;
  } catch {
    const page = new DOMParser().parseFromString(text ?? "", "text/html");
    const words = page.querySelector(".notice p, h1")?.textContent?.trim();
    return words || `The server refused this (${status}).`;
  }
};

if (region) {
  for (const toast of region.children) watch(toast);
  new MutationObserver((changes) => {
    for (const change of changes) {
      for (const node of change.addedNodes) if (node instanceof HTMLElement) watch(node);
    }
  }).observe(region, { childList: true });
}

const SWAPPED = new Set([409, 412, 422]); // these answer with the form they refuse
document.addEventListener("htmx:response:error", (event) => {
  const { ctx } = event.detail;
  if (!SWAPPED.has(ctx.response.status)) showError(sentence(ctx.text, ctx.response.status));
});
document.addEventListener("htmx:error", (event) => {
  const { ctx, error } = event.detail;
  if (!ctx || error?.name === "AbortError") return; // replaced by a newer request
  showError("The server did not answer. Check that it runs, and try again.");
});
