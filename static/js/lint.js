/* What was found is about the profile as it was: a change to the form says so. */
const marks = (event) => event.target.name && event.target.closest("#profile-form");

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    if (marks(event)) document.getElementById("lint-result")?.toggleAttribute("data-stale", true);
  });
}
document.addEventListener("htmx:before:swap", (event) => {
  if (event.detail.ctx.sourceElement.id === "lint-run") document.getElementById("lint-result")?.removeAttribute("data-stale");
});
