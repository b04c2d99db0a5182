// The page works without this: it adds the theme switch, highlighting on the map, and quicker titles.
(() => {
  "use strict";
  const root = document.documentElement, all = (what) => [...document.querySelectorAll(what)];

  const theme = document.getElementById("theme"), themes = ["system", "light", "dark"];
  const paint = (name) => {
    root.style.colorScheme = name === "system" ? "" : name;
    theme.lastElementChild.textContent = name;
  };
  let now = "system";
  try { now = themes.includes(localStorage.outgroupTheme) ? localStorage.outgroupTheme : now; } catch { /* no storage here */ }
  paint(now);
  theme.hidden = false;
  theme.addEventListener("click", () => {
    now = themes[(themes.indexOf(now) + 1) % themes.length];
    paint(now);
    try { localStorage.outgroupTheme = now; } catch { /* no storage here */ }
  });

  const discs = all(".map .disc"), buttons = all("[data-show]");
  let held = null;
  const show = (group) => discs.forEach((d) => d.classList.toggle("dim", group !== null && d.dataset.group !== group));
  const hold = (group) => {
    held = group;
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.show === group)));
    show(group);
  };
  buttons.forEach((b) => {
    b.addEventListener("pointerenter", () => show(b.dataset.show));
    b.addEventListener("pointerleave", () => show(held));
    b.addEventListener("focus", () => show(b.dataset.show));
    b.addEventListener("blur", () => show(held));
    b.addEventListener("click", () => hold(held === b.dataset.show ? null : b.dataset.show));
  });
  document.addEventListener("keydown", (e) => { if (e.key === "Escape") hold(null); });

  const tip = document.getElementById("tip"), titles = new WeakMap();
  const title = (dot) => {
    const own = dot.querySelector("title");
    if (own) { titles.set(dot, own.textContent); own.remove(); }  // or the browser would show it a second time
    return titles.get(dot);
  };
  all(".map svg, .chart svg").forEach((svg) => {
    svg.addEventListener("pointermove", (e) => {
      const text = e.target.tagName === "circle" ? title(e.target) : undefined;
      tip.hidden = text === undefined;
      if (tip.hidden) return;
      const group = e.target.parentNode.dataset.name, off = e.target.classList.contains("out");
      tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: text, dir: "auto" }));
      if (group) tip.append(Object.assign(document.createElement("span"), { textContent: (off ? "off-topic, in " : "") + group, dir: "auto" }));
      const box = tip.getBoundingClientRect();
      tip.style.left = Math.max(8, Math.min(e.clientX + 14, innerWidth - box.width - 8)) + "px";
      tip.style.top = (e.clientY + box.height + 24 > innerHeight ? e.clientY - box.height - 12 : e.clientY + 16) + "px";
    });
    svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  });

  let closed = [];
  addEventListener("beforeprint", () => { closed = all("details:not([open])"); closed.forEach((d) => { d.open = true; }); });
  addEventListener("afterprint", () => closed.forEach((d) => { d.open = false; }));
})();
