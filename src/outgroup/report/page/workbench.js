// The entry point of the workbench: the page over the server's store, with the panel of the workbench.
import { App } from "./app.js";
import { LIVE } from "./desk.js";
import { LiveStore } from "./live.js";

const place = /** @type {HTMLElement} */ (document.getElementById("explore")),
  status = /** @type {HTMLElement} */ (document.getElementById("waiting"));

/** Colours of the groups as rules: there may be more groups after a split. */
function paint({ about: { colours } }) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(colours.map(([light, dark], i) => `.g${i}{--c:light-dark(${light},${dark})}`).join("\n"));
  document.adoptedStyleSheets = [sheet];
}

const waiting = ({ progress }) => {
  const left = progress?.left ? `, about ${Math.ceil(progress.left)} s left` : "";
  status.textContent = progress
    ? `Finding the first groups: ${progress.step}${left} \u2026`
    : "Reading and finding the first groups \u2026";
};

LiveStore.open(waiting)
  .then((store) => {
    status.remove();
    paint(store);
    const app = new App(store, place, LIVE);
    store.tell = (message) => app.tell(message);
    store.progressed = () => app.render();
    store.measured = () => app.trusted();
    store.renewed = (full) => {
      paint(store);
      app.renew();
      if (full) app.leaveGroup("The full fit is ready; its groups have other numbers than the preview.");
    };
    document.querySelector(".bar h1")?.after(app.bar);
    Object.assign(globalThis, { outgroup: app });
  })
  .catch((error) => {
    status.textContent = error.message;
  });
