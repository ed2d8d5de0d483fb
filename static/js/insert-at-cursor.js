/* A button with data-insert puts that text where the cursor is, or was last, in the field that data-into names. */
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-insert]");
  const field = button ? document.getElementById(button.dataset.into) : null;
  if (!field) return;
  field.focus();
  field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
});
