"""Elements of the page by themselves: what looks as before stays, and does what was drawn last."""

from pathlib import Path

import pytest
from report.browser import chromium

import outgroup

SCRIPT = (Path(outgroup.__file__).parent / "report" / "page" / "dom.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page():
    with chromium() as browser:
        page = browser.new_page()
        page.set_content("<div id='box'></div>")
        page.add_script_tag(content=SCRIPT + "globalThis.dom = { el, refill, button };", type="module")
        page.wait_for_function("() => globalThis.dom")
        yield page


def test_what_looks_as_before_stays_and_does_what_was_drawn_last(page):
    found = page.evaluate("""() => {
        const { el, refill, button } = dom, box = document.getElementById("box"), done = [];
        const same = (listeners) => listeners.map((on) => el("b", { on }, "same"));
        const go = (count) => button("go", () => done.push(count));
        const draw = (...listeners) => refill(box, el("p", {}, ...same(listeners)), go(listeners.length));
        draw({ click: () => done.push("first") }, {});
        const before = [...box.querySelectorAll("b, button")];
        draw({ click: () => done.push("second") }, { click: () => done.push("new") });
        for (const each of before) each.click();
        draw({}, {});
        for (const each of before) each.click();
        draw({ click: () => done.push("third") }, {});
        before[0].click();
        return [done, before.every((each) => box.contains(each))];
    }""")
    assert found == [["second", "new", 2, 2, "third"], True]
