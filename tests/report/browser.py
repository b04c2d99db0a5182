"""A headless Chromium with all network blocked, for tests of the page; skipped, saying so, where there is none."""

import shutil
from contextlib import contextmanager
from functools import cache

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"


@contextmanager
def chromium():
    sync = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"needs a browser: none of {', '.join(NAMES)} is installed")
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET.split())
        yield browser
        browser.close()


def violations(page, part="html"):
    """What axe-core finds wrong in a page, or in a part of it: the rule, the element, and what to do."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    if page.evaluate("typeof axe") == "undefined":  # it is large: once for a page
        page.evaluate(axe.Axe().axe_script)
    return [
        (each["id"], node["html"][:120], node["failureSummary"][:160])
        for each in page.evaluate("(part) => axe.run(part, { resultTypes: ['violations'] })", part)["violations"]
        for node in each["nodes"][:2]
    ]


def small(page):
    """Return what is too small for a finger, or shows a key, on a small screen."""
    return page.evaluate("""() =>
        [...document.querySelectorAll("a[href], button, summary, select, input, [role=button], kbd, .by-key")]
            .filter((each) => each.checkVisibility() && !each.disabled && !each.matches(".skip"))
            .map((each) => [each, (each.closest("label") ?? each).getBoundingClientRect()])
            .filter(([each, { width, height }]) => each.matches("kbd, .by-key") || Math.min(width, height) < 39.9)
            .map(([each, { width, height }]) => `${width} x ${height}: ${each.outerHTML.slice(0, 200)}`)""")


@cache
def tab(browser, width=1400):
    """A tab without a network, of a context of its own: the visits of a width share it, and leave nothing behind."""
    size = {"width": width, "height": 900 if width > 600 else 844}
    context = browser.new_context(viewport=size, has_touch=width < 600, accept_downloads=True)
    context.set_offline(True)
    page = context.new_page()
    page.set_default_timeout(30_000)  # a busy machine is no failure
    return page


class Visit:
    """A page that was opened: what went wrong in it, and what it tried to load, are kept."""

    def __init__(self, browser, path, width=1400, place="", color_scheme="light"):
        self.page, self.wrong, self.asked = tab(browser, width), [], []
        self.page.emulate_media(color_scheme=color_scheme)
        self.heard = {
            "pageerror": lambda error: self.wrong.append(str(error)),
            "console": lambda said: self.wrong.append(said.text) if said.type == "error" else None,
            "dialog": lambda dialog: (self.wrong.append("a dialog"), dialog.dismiss()),
            "request": lambda request: self.asked.append(request.url),
        }
        for name, hear in self.heard.items():
            self.page.on(name, hear)
        self.page.goto(path.as_uri() + place)
        self.page.wait_for_selector(".columns-3 .panel")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.page.evaluate("localStorage.clear()")
        for name, hear in self.heard.items():
            self.page.remove_listener(name, hear)
        self.page.goto("about:blank")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, what):
        return " ".join(self.page.locator(what).first.inner_text().split())

    def wait(self, condition):
        """Until an expression of the page is true."""
        # a plain text would be evaluated, which the policy forbids; and frames need not be drawn meanwhile
        self.page.wait_for_function(f"() => {condition}", polling=20)

    def decisions(self):
        return self.page.evaluate("outgroup.store.decisions")
