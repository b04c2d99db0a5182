// The entry point of report.html: all data is in the file. Without this script the page shows the group cards only.
import { App } from "./app.js";
import { FileStore } from "./store.js";

const place = /** @type {HTMLElement} */ (document.getElementById("explore"));

FileStore.open()
  .then((store) => {
    const app = new App(store, place);
    Object.assign(globalThis, { outgroup: app });
    document.querySelector(".below")?.prepend(app.bar);
  })
  .catch((error) => {
    place.textContent = `This browser cannot open the documents of this page (${error.message}): use a newer browser.`;
    place.hidden = false;
    document.documentElement.classList.add("failed");
  });
