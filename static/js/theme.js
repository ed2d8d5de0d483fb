/* Loaded before the first paint, so that a chosen theme never flashes. Only a choice that differs from the
   system's is kept: who agrees with the system goes on following it. */
(() => {
  const key = "plumbline-theme";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  root.dataset.script = "";

  const kept = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage is switched off: the choice lasts for this page
    }
  };
  const keep = (theme) => {
    try {
      if (theme) localStorage.setItem(key, theme);
      else localStorage.removeItem(key);
    } catch {
      /* as above */
    }
  };
  const systemTheme = () => (system.matches ? "dark" : "light");
  const current = () => root.dataset.theme || systemTheme();
  const other = () => (current() === "dark" ? "light" : "dark");

  const show = () => {
    for (const word of document.querySelectorAll("[data-theme-word]")) {
      word.textContent = other() === "dark" ? "Dark" : "Light";
    }
    document.dispatchEvent(new CustomEvent("plumbline:theme", { detail: current() }));
  };

  const chosen = kept();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", show);
  system.addEventListener("change", show);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    const wanted = other();
    if (wanted === systemTheme()) {
      delete root.dataset.theme;
      keep(null);
    } else {
      root.dataset.theme = wanted;
      keep(wanted);
    }
    show();
  });
})();
