/* A button changes the form itself, and its answer holds the result too. Answers to typing from before it are late,
   and so are questions that were asked before it and waited for their turn. */
let changes = 0;
let changing = 0;
const asked = new WeakMap();
export const isButton = (event) => event.detail.ctx.sourceElement.matches("button:not([data-aside])");
const late = (ctx) => (asked.get(ctx) ?? 0) !== changes;

/* What is sent is taken from the form here, however long it waits then. */
document.addEventListener("htmx:config:request", (event) => { asked.set(event.detail.ctx, changes); });
document.addEventListener("htmx:before:request", (event) => {
  if (isButton(event)) {
    changes += 1;
    changing += 1;
  } else if (changing || late(event.detail.ctx)) {
    event.preventDefault();
  }
});
document.addEventListener("htmx:before:response", (event) => {
  if (!isButton(event) && late(event.detail.ctx)) event.preventDefault();
});
document.addEventListener("htmx:finally:request", (event) => { if (isButton(event)) changing -= 1; });
