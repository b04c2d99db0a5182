// Light, dark, or as the system says.

const THEMES = ["system", "light", "dark"];

/** Make the button in the page's head switch themes; `changed` is called after each switch. */
export function theme(changed) {
  const knob = /** @type {HTMLElement} */ (document.getElementById("theme")),
    label = /** @type {Element} */ (knob.lastElementChild);
  let now = "system";
  try {
    if (THEMES.includes(localStorage.outgroupTheme)) now = localStorage.outgroupTheme;
  } catch {
    /* no storage here */
  }
  const paint = () => {
    document.documentElement.style.colorScheme = now === "system" ? "" : now;
    label.textContent = now;
    changed();
  };
  knob.hidden = false;
  knob.addEventListener("click", () => {
    now = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    try {
      localStorage.outgroupTheme = now;
    } catch {
      /* no storage here */
    }
    paint();
  });
  paint();
}
