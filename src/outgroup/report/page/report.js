// The start of report.html: everything is in the file. Without this script the page shows the groups' cards alone.
import { App } from "./app.js";
import { FileStore } from "./store.js";

const place = document.getElementById("explore");

FileStore.open()
  .then((store) => {
    const app = (globalThis.outgroup = new App(store, place));
    if (innerWidth > 960) app.groups.element.append(app.tray.element); // below the groups, where it hides no text
  })
  .catch((error) => {
    place.textContent = `This browser cannot open the documents of this page (${error.message}): use a newer browser.`;
    place.hidden = false;
    document.documentElement.classList.add("failed");
  });
