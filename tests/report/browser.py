"""A headless Chromium with all network blocked, for tests of the page; skipped, saying so, where there is none."""

import shutil
from contextlib import contextmanager

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


def violations(page):
    """What axe-core finds wrong in a page: the rule, the element, and what to do."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    return [
        (each["id"], node["html"][:120], node["failureSummary"][:160])
        for each in axe.Axe().run(page).response["violations"]
        for node in each["nodes"][:2]
    ]


class Visit:
    """A page that was opened: what went wrong in it, and what it tried to load, are kept."""

    def __init__(self, browser, path, width=1400, place="", **options):
        size = {"width": width, "height": 900 if width > 600 else 844}
        self.context = browser.new_context(viewport=size, has_touch=width < 600, accept_downloads=True, **options)
        self.context.set_offline(True)
        self.page, self.wrong, self.asked = self.context.new_page(), [], []
        self.page.set_default_timeout(30_000)  # a busy machine is no failure
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)
        self.page.on("dialog", lambda dialog: (self.wrong.append("a dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri() + place)
        self.page.wait_for_selector(".columns-3 .panel")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, what):
        return " ".join(self.page.locator(what).first.inner_text().split())

    def wait(self, condition):
        """Until an expression of the page is true."""
        self.page.wait_for_function(f"() => {condition}")  # a plain text would be evaluated, which the policy forbids

    def decisions(self):
        return self.page.evaluate("outgroup.store.decisions")
