/* The form of an observation: where to go on after a button. Everything else is done by the server. */
import { isButton } from "./late-answers.js";
import { reveal } from "./live-faults.js";

document.addEventListener("htmx:after:swap", (event) => {
  if (!isButton(event)) return;
  const form = document.getElementById("try-form");
  const target = document.getElementById(form.dataset.focus);
  form.dataset.focus = "";
  if (!target) return;
  reveal(target);
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "nearest" });
});
