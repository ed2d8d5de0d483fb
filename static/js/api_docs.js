// Opens the schema that a link points to: a closed <details> hides its own anchor's content.
const show = () => {
  const place = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (place instanceof HTMLDetailsElement) {
    place.open = true;
    place.scrollIntoView();
  }
};
window.addEventListener("hashchange", show);
show();
