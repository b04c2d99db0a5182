"""The workbench as a person meets it: one command, a browser, decisions, and the groups that follow them."""

import json
import os
import re
import signal
import subprocess
from contextlib import chdir, contextmanager, suppress
from functools import cache

import pytest
from factories import KITCHEN, RAILS, TEA
from forks import COMMAND, started
from report.browser import violations
from report.test_page import HOSTILE

TEXTS = [*TEA, "tea leaves again", *RAILS, "an old station"]


def documents(path, texts=TEXTS, more=lambda number: {}):
    rows = [
        {"id": f"d{i}", "title": f"title {i}", "text": text, "label": "tea" if i < 6 else "rails"} | more(i)
        for i, text in enumerate(texts)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


WORKBENCH = ["workbench", "docs.jsonl", "-k", "2", "--no-browser", "--encoder", "none"]
HELD = """
from pathlib import Path
from time import sleep
from outgroup.__main__ import main
from outgroup.stopping import stop_if_asked
from outgroup.workbench import views as trusted

found = trusted.trust_of


def held(*given):
    while not Path("go").exists():
        stop_if_asked()
        sleep(0.01)
    return found(*given)


trusted.trust_of = held
main()
"""
"""A command that works out how far groups can be trusted while there is a file `go` in its folder, and waits else."""


@contextmanager
def workbench(folder, *options, ends=(0,), start=COMMAND):
    """The address of a workbench of its own process, in an empty folder."""
    reader, writer = os.pipe()
    with open(reader) as printed, chdir(folder):
        process = started(*WORKBENCH, *options, start=start, stdout=writer, stderr=writer)
        os.close(writer)
        try:
            said = ""
            while "http://" not in said:
                line = printed.readline()
                assert line, said
                said += line
            yield re.search(r"http://\S+", said).group(), process
        finally:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.close()
            rest = printed.read()
            assert process.returncode in ends, rest
            assert "Traceback" not in rest, rest
            assert "ERROR" not in rest, rest


@cache
def _tab(browser):
    """Where people browse, one after another: a browser takes longer to make a tab than to load a page."""
    page = browser.new_context(accept_downloads=True).new_page()
    page.set_default_timeout(20_000)
    return page


class Person:
    """A browser at the workbench; whatever it asks of another host is refused and kept."""

    def __init__(self, browser, address, width=1400):
        self.page = _tab(browser)
        self.page.set_viewport_size({"width": width, "height": 900})
        self.context = self.page.context
        self.foreign, self.wrong = [], []
        self.host = re.match(r"http://[^/]+", address).group()
        self.context.unroute_all()  # routes of a failed test would fail the tests after it
        self.page.unroute_all()
        self.context.route(
            lambda url: not url.startswith((self.host, "data:")),
            lambda route: (self.foreign.append(route.request.url), route.abort()),
        )
        self.context.on("weberror", self._heard_error)
        self.context.on("console", self._heard)
        self.open(self.page, address)

    def _heard_error(self, error):
        self.wrong.append(str(error.error))

    def _heard(self, said):
        if said.type == "error":
            self.wrong.append(said.text)

    def tab(self, address):
        page = self.context.new_page()
        page.set_default_timeout(20_000)
        self.open(page, address)
        return page

    def open(self, page, address):
        """Open a page, with its lists unfolded where there is room for them, and stay where an answer is given."""
        page.goto(address)
        page.wait_for_selector(".columns-3 .panel")
        # A first look would take no decision, and a page that catches up still has to leave its groups.
        self.wait("!outgroup.store.rough && !outgroup.store.catching", page)
        page.evaluate("outgroup.questions.stay = true; document.querySelector('.tray details').open = innerWidth > 960")

    def wait(self, condition, page=None):
        (page or self.page).wait_for_function(f"() => {condition}", polling=20)  # not by drawing frames

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def go(self, place):
        """Go to a place of the page, and wait until all of it is drawn."""
        self.page.evaluate("(place) => { location.hash = place; }", place)
        self.drawn()

    def drawn(self):
        """Wait until the page has followed its address, its lists are filled, and nothing is left to draw."""
        self.page.evaluate("new Promise((done) => setTimeout(done))")  # what was heard of before comes first
        self.page.evaluate("outgroup.follow().then(() => outgroup.follow())")  # a late event may take the first's turn
        self.wait("![...document.querySelectorAll('.virtual .title')].some((each) => each.textContent === '\u2026')")
        self.page.evaluate("new Promise((done) => setTimeout(done, 50))")

    def settled(self, decisions):
        self.wait("!outgroup.store.state.busy && outgroup.store.pending.length === 0")
        self.wait(f"outgroup.store.decisions.length === {decisions}")

    def group(self, identity):
        return self.page.evaluate(f"outgroup.store.locate('{identity}').then((i) => outgroup.store.row(i).group)")

    def close(self):
        """Leave, with nothing left behind but the cookies of the workbenches that were visited."""
        assert self.wrong == []
        assert self.foreign == []
        self.page.evaluate("localStorage.clear()")
        self.page.goto("about:blank")
        self.context.unroute_all()
        self.context.remove_listener("weberror", self._heard_error)
        self.context.remove_listener("console", self._heard)


@contextmanager
def met(browser, folder, *options, texts=TEXTS, more=lambda number: {}, width=1400, start=COMMAND):
    """A person at a workbench of documents, which are written where there are none."""
    if not (folder / "docs.jsonl").exists():
        documents(folder / "docs.jsonl", texts, more)
    with workbench(folder, *options, start=start) as (address, _):
        person = Person(browser, address, width)
        yield person
        person.close()


@pytest.fixture(scope="module")
def visit(browser, tmp_path_factory):
    """A person at a workbench that several have, who look at it and decide nothing; its address works once."""
    folder = tmp_path_factory.mktemp("bench")
    documents(folder / "docs.jsonl")
    with workbench(folder) as (address, _):
        first = Person(browser, address)
        known = first.context.cookies()
        first.close()

        @contextmanager
        def at(width=1400):
            _tab(browser).context.add_cookies(known)
            person = Person(browser, f"{first.host}/", width)
            yield person
            person.close()

        yield at


@pytest.fixture
def person(visit):
    with visit() as met_there:
        yield met_there


def test_the_story_of_a_new_user_by_keyboard_and_mouse(browser, tmp_path):
    with met(browser, tmp_path, "--out", "result") as person:
        rails = person.group("d6")
        assert "this file" not in person.page.locator(".panel").inner_text()
        person.page.evaluate("""() => {
            globalThis.heard = [];
            const hear = () => heard.push(outgroup.status.textContent);
            new MutationObserver(hear).observe(outgroup.status, { childList: true });
        }""")
        person.go("doc=d0")
        person.press(str(rails))
        person.settled(1)
        person.wait("outgroup.store.shown === 2")
        assert person.group("d0") == rails
        assert "Undone." not in person.page.evaluate("heard")
        person.press("z")
        person.settled(0)
        person.wait(f"outgroup.store.row(0).group !== {rails}")
        person.press("x")
        person.settled(1)
        person.wait("outgroup.store.row(0).group === -1")
        other = person.tab(person.host + "/")
        person.wait("outgroup.store.decisions.length === 1", other)
        other.close()
        person.page.locator(".last", has_text="title 0 is junk").locator(".came").wait_for()  # without a click
        person.press("Escape")
        # it was said to be, and need not look so
        person.page.get_by_text("1 document is off-topic and stands apart").wait_for()
        person.page.evaluate("location.hash = 'doc=d1'")
        person.wait("outgroup.doc >= 0 && outgroup.store.row(outgroup.doc).id === 'd1'")
        person.press("y")
        person.settled(2)
        person.page.locator(".last", has_text="title 1 belongs to").locator(".came").wait_for()
        person.page.get_by_role("button", name="Decisions").click()
        person.page.get_by_role("button", name="what came of it?").click()
        person.page.locator(".came").nth(1).wait_for()
        person.page.get_by_role("button", name="Versions").click()
        person.page.get_by_role("button", name="go back").last.click()
        person.settled(0)
        person.page.get_by_role("button", name="Export").click()
        person.page.get_by_text("Written to").wait_for()
    assert {"assignments.csv", "report.html", "run.json"} <= {entry.name for entry in (tmp_path / "result").iterdir()}


def test_a_group_that_was_merged_away_is_gone_from_the_page(browser, tmp_path):
    with met(browser, tmp_path, "-k", "3", texts=[*KITCHEN, *TEXTS]) as person:
        person.go("doc=d0")
        person.press("2")
        person.settled(1)
        person.wait("outgroup.store.shown === 2")
        person.page.get_by_role("button", name="Decisions").click()
        person.page.locator(".desk").get_by_text("belongs to 2").wait_for()
        person.page.evaluate("location.hash = 'view=tree&group=0'")
        person.wait("document.querySelector('.tree .soft')?.textContent.startsWith('3 groups, as')")
        person.press("m")
        person.page.get_by_role("dialog").wait_for()
        person.press("2")
        person.settled(2)
        person.wait("outgroup.store.shown === 3")
        person.wait("document.querySelector('.tree .soft').textContent.startsWith('2 groups, as')")
        person.page.locator(".desk").get_by_text("belongs to 2 (merged away)").wait_for()
        assert "empty" not in person.page.locator("nav.groups").inner_text()
        assert person.page.locator(".drawn-tree circle").count() == 2
        person.page.evaluate("outgroup.store.decide({ kind: 'split', group: 0 })")
        person.settled(3)
        person.wait("outgroup.store.groups.some(({ number }) => number === 3)")  # no number is used again
        assert "belongs to 2 (merged away)" in desk_text(person)
        person.page.get_by_role("button", name="Versions").click()
        assert "belongs to 2 (merged away)" in desk_text(person)
        person.press("z", "z", "z")
        person.settled(0)
        person.page.get_by_text("belongs to 2 (of that time)").first.wait_for()
        person.page.evaluate("outgroup.store.decide({ kind: 'merge', groups: [0, 1, 2] })")
        person.settled(1)
        person.wait("outgroup.store.groups.length === 1")
        person.press("m")
        person.wait("outgroup.status.textContent === 'There is only one group.'")


def test_the_map_is_tidied_after_a_merge_and_stays_so_after_a_restart(browser, tmp_path):
    texts, places = [f"{text} number{i}" for i in range(6) for text in TEXTS], "[...outgroup.store.columns.place]"
    with met(browser, tmp_path, "-k", "3", texts=texts) as person:
        tidy = person.page.get_by_role("button", name="Tidy the map")
        assert not tidy.is_visible()
        person.page.evaluate("outgroup.store.keep({ kind: 'merge', groups: [0, 2] })")
        person.settled(1)
        person.wait("outgroup.store.shown === 2 && outgroup.store.groups.length === 2")
        before = person.page.evaluate(places)
        tidy.press("Enter")
        person.settled(1)
        person.wait(f"outgroup.store.columns.place.some((at, i) => at !== {before}[i])")
        tidied, place = person.page.evaluate(places), person.page.evaluate("location.hash")
    with met(browser, tmp_path, "-k", "3") as person:
        assert person.page.evaluate(places) == before
        person.go(place)
        person.page.reload()
        person.wait(f"globalThis.outgroup?.store.columns.place?.every((at, i) => at === {tidied}[i])")


def test_a_far_reaching_decision_is_shown_before_it_is_kept(browser, tmp_path):
    with met(browser, tmp_path, texts=[f"{TEXTS[i % 12]} number{i}" for i in range(72)]) as person:
        larger, smaller = person.page.evaluate("outgroup.store.bySize([0, 1])")
        person.go(f"group={smaller}")
        person.press("m")
        person.page.locator("dialog", has_text="Merge group").wait_for()
        person.press(str(larger))
        dialog = person.page.locator("dialog", has_text="would move; here are 6")
        dialog.wait_for()
        assert dialog.locator(".examples li").count() == 6
        assert violations(person.page, "dialog") == []
        person.press("n")
        person.wait("outgroup.status.textContent === 'Nothing changed.'")
        assert person.page.evaluate("outgroup.store.decisions.length") == 0
        person.page.evaluate("outgroup.store.decide({ kind: 'regroup' })")
        person.wait("outgroup.status.textContent.startsWith('Withdrawn')")
        person.go(f"group={smaller}")
        person.press("m")
        person.page.locator("dialog", has_text="Merge group").wait_for()
        person.press(str(larger))
        dialog.wait_for()
        person.press("y")
        person.settled(1)
        assert person.page.evaluate("outgroup.store.decisions[0].groups") == [larger, smaller]


def test_lists_searches_and_filters_come_in_pages(browser, tmp_path):
    def more(number):
        day = f"2024-{number // 40 + 1:02}-{number % 28 + 1:02}"
        return {"link": f"<b>page</b> {number}", "day": day, "price": f"{number - 100}.25"}

    texts = [f"{TEXTS[i % 12]} number{i}" for i in range(480)]
    with met(browser, tmp_path, texts=texts, more=more) as person:
        titles = "[...document.querySelectorAll('.virtual .title')]"
        titled = f"{titles}.every((each) => each.textContent.startsWith('title'))"
        asked = []
        person.page.on("request", lambda request: asked.append((request.url, request.post_data)))
        person.page.evaluate("location.hash = 'view=list'")
        person.page.locator(".virtual li .title").first.wait_for()
        person.wait(titled)
        person.wait("!outgroup.store.rough && !outgroup.store.state.busy")
        scroll = "document.querySelector('.rows').scrollTop = 9000"  # again where a list begins at its top
        person.wait(f"({scroll}, document.querySelector('.virtual li').ariaPosInSet > 200)")
        person.wait(titled)
        assert person.page.evaluate("outgroup.store.texts.size") < 200
        rows = [json.loads(said).get("rows", []) for url, said in asked if url.endswith("/api/rows")]
        assert rows
        assert max(map(len, rows)) <= 60
        for query, count in {"tea": 240, '"number479"': 1, "umber77": 1, "tea trains": 0}.items():
            person.page.evaluate("(q) => { location.hash = 'view=list&q=' + encodeURIComponent(q) }", query)
            person.wait(f"outgroup.route.q === {query!r} && outgroup.found?.total === {count}")
        person.page.evaluate("location.hash = 'view=list&is.label=tea'")
        person.wait("outgroup.found?.total === 6")
        assert person.page.locator(".brush .spark li").count() == 12
        person.go("is.day=2024-02..2024-03&is.price=-50.25..10.25&q=tea")
        found = person.page.evaluate("[...outgroup.found.hits.keys()].filter((i) => outgroup.found.hits[i])")
        assert found == [i for i in range(480) if i // 40 in (1, 2) and 50 <= i <= 110 and i % 12 < 6]
        person.go("view=list&colour=price")
        assert person.page.evaluate("outgroup.colours.kind[479] > outgroup.colours.kind[0]")
        assert violations(person.page, ".middle") == []
        person.page.evaluate("location.hash = 'doc=d479'")
        person.wait("outgroup.doc === 479")
        assert "number479" in person.page.locator(".reading").inner_text()
        assert "<b>page</b> 479" in person.page.locator(".reading .facts").inner_text()  # as text
        assert person.page.locator(".reading .few li").count() > 0
        last = person.page.evaluate("outgroup.list.rows.at(-1) === 479")
        person.press("k" if last else "j")
        person.wait("outgroup.doc !== 479 && outgroup.doc >= 0")
        person.page.evaluate("location.hash = 'doc=gone'")
        person.page.get_by_text("No document here has the id").wait_for()
        person.page.get_by_role("link", name="Show all documents").click()
        person.page.get_by_text("At a glance").wait_for()


IN_SIGHT = """(box) => {
    const { top, bottom, left, right } = box.getBoundingClientRect();
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && bottom <= innerHeight && (box === at || box.contains(at));
}"""


def test_on_a_small_screen_one_reads_a_long_document_and_answers_beside_it(browser, tmp_path):
    texts = [f"{HOSTILE[i]} {text} {'and so on ' * 400}" for i, text in enumerate(TEXTS)]
    with met(browser, tmp_path, "-k", "3", texts=texts, width=390) as person:
        person.page.evaluate("globalThis.ran = () => { globalThis.harmed = true; }, null")
        person.page.locator(".desk summary").click()
        assert person.page.evaluate("document.querySelector('.desk').getBoundingClientRect().height <= innerHeight / 2")
        person.page.locator(".desk summary").click()
        person.wait("outgroup.questions.open().some(({ id }) => id)")
        person.page.evaluate("location.hash = `doc=${outgroup.questions.open().find(({ id }) => id).id}`")
        person.wait("outgroup.doc >= 0")
        person.page.locator(".reading div.text").wait_for()
        assert person.page.evaluate("document.documentElement.scrollWidth <= innerWidth && !globalThis.harmed")
        person.page.evaluate("scrollBy(0, 1500)")
        answer = person.page.locator(".question .answers button").first
        assert answer.evaluate(IN_SIGHT)
        assert violations(person.page) == []
        answer.click()
        person.settled(1)
        person.drawn()
        corrections = person.page.locator(".reading .corrections button")
        assert corrections.evaluate_all(f"(all) => all.map({IN_SIGHT})") == [True] * 4
        first = person.page.evaluate("outgroup.doc")
        person.page.get_by_role("button", name="Next question").click()
        person.wait(f"outgroup.doc !== {first}")


def test_a_first_look_offers_no_decision_and_the_groups_after_it_do(browser, tmp_path):
    with met(browser, tmp_path) as person:
        person.go("doc=d0")
        rough = "(rough) => { outgroup.store.rough = rough; outgroup.store.changed(); }"
        person.page.evaluate(rough, True)  # as while the first groups are found
        offered = "document.querySelectorAll('.panel .corrections button:enabled').length"
        person.wait(f"{offered} === 0")
        assert person.page.get_by_role("button", name="Export").is_disabled()
        person.press("1", "x", "y", "b", "m", "s", "r")
        assert not person.page.locator("dialog[open]").count()
        assert person.page.evaluate("outgroup.status.textContent === outgroup.store.closed")
        assert "wait" in person.page.evaluate("outgroup.store.closed")
        person.page.locator(".why .word").first.click()
        assert person.page.locator("dialog[open] .options button").all_inner_texts() == ["find its documents\nf"]
        person.press("Escape")
        assert person.page.evaluate("outgroup.store.decisions.length") == 0
        person.page.evaluate(rough, False)
        person.wait(f"{offered} === 4")
        person.press("x")
        person.settled(1)


@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_nothing_in_what_a_person_meets(visit, width):
    with visit(width) as person:
        found = violations(person.page)
        for place in ("view=list", "doc=d0", "group=1", "view=tree", "view=list&q=tea", "view=list&q=nowhere"):
            person.go(place)
            found += violations(person.page)
        assert "No document matches" in person.page.locator(".panel").inner_text()
        person.go("q=tea")
        person.page.locator(".panel").get_by_role("button", name="New group").click()
        person.page.get_by_role("dialog").wait_for()
        found += violations(person.page)
        person.press("Escape")  # or nothing could be begun with them at the other width
        if width < 960:
            person.page.locator(".desk summary").click()
        for name in ("Decisions", "Versions"):
            person.page.get_by_role("button", name=name).click()
            found += violations(person.page)
    assert found == []


SIZES = """[...outgroup.store.sizes()].every(([number, size]) => {
    const own = outgroup.store.summary.groups[number]?.figures;
    return !own || own.size === size;
})"""
"""Whether the trust that the page knows, if any, is that of the groups that it shows."""


def test_trust_comes_by_itself_and_neither_a_decision_nor_an_export_waits_for_it(browser, tmp_path):
    with met(browser, tmp_path, "--out", "result", start=HELD) as person:
        person.page.get_by_text("Trust in the groups: not known yet").wait_for()
        person.go("group=0")
        person.page.locator(".panel").get_by_text("Trust is still being measured").wait_for()
        assert "by trust" not in person.page.get_by_label("Order of the groups").inner_text()
        person.page.evaluate("outgroup.store.decide({ kind: 'label', documents: ['d0'], groups: [1] })")
        person.settled(1)
        # while that of version 1 was waited for
        person.wait("outgroup.store.shown === 2 && outgroup.store.trustFollows")
        person.page.get_by_role("button", name="Export").click()
        person.page.get_by_text("Written to").wait_for()
        assert person.page.locator(".panel .trust .sign").count() == 0
        (tmp_path / "go").touch()
        person.page.locator(".panel .trust .sign").wait_for()
        assert re.search(r"of \d+ fits", person.page.locator(".panel .trust").inner_text())
        assert "Tightness" in person.page.locator(".panel .trust details").text_content()
        assert "by trust" in person.page.get_by_label("Order of the groups").inner_text()
        assert "not known yet" not in person.page.locator("body").inner_text()
        assert person.page.evaluate(SIZES)
        person.go("")
        person.page.locator(".panel").get_by_text(re.compile(r"Trust in the groups: \d (tight|loose|mixed)")).wait_for()
        (tmp_path / "go").unlink()
        word = person.page.evaluate("outgroup.store.summary.groups[0].figures.word")
        person.go(f"colour=group trust&is.group trust={word}")
        found = person.page.evaluate("outgroup.found.total")
        assert found
        own = person.group("d6")
        person.page.evaluate(f"outgroup.store.keep({{ kind: 'label', documents: ['d6'], groups: [{own}] }})")
        person.wait("outgroup.store.shown === 3 && outgroup.store.trustFollows")
        person.drawn()
        assert person.page.evaluate("outgroup.found.total") == found  # by the trust measured before
        (tmp_path / "go").touch()
        person.wait("outgroup.route.colour === 'group trust' && !outgroup.store.trustFollows")


@contextmanager
def held(person, part):
    """Let answers of the server whose address has a part wait until what is inside is done."""
    waiting = []
    person.context.route(f"**/{part}", lambda route: waiting.append(route))
    yield
    person.context.unroute(f"**/{part}")
    assert waiting
    for route in waiting:
        route.continue_()


def test_what_cannot_be_fetched_is_told_and_comes_when_the_workbench_answers(person):
    person.wait("!outgroup.store.rough && outgroup.store.rowOf('d0') >= 0")
    person.context.route("**/api/document", lambda route: route.abort())
    person.page.evaluate("location.hash = 'doc=d0'")
    person.page.locator(".panel").get_by_text("The workbench does not answer").wait_for()
    person.context.unroute("**/api/document")
    person.page.evaluate("outgroup.store.changed()")
    person.page.locator(".reading div.text").wait_for()
    person.context.route("**/api/find", lambda route: route.abort())
    person.page.evaluate("location.hash = 'q=tea&view=list'")
    person.wait("outgroup.status.textContent.includes('does not answer')")
    assert all("ERR_FAILED" in each for each in person.wrong)
    person.wrong.clear()


NAME = "before the <img src=x onerror=alert(1)> split"


def test_a_version_gets_a_name_and_is_gone_back_to(browser, tmp_path):
    with met(browser, tmp_path, "--project", "work.outgroup", width=390) as person:
        for number, decision in enumerate(
            ({"kind": "label", "documents": ["d11"], "groups": []}, {"kind": "split", "group": 0}), 1
        ):
            person.page.evaluate("(said) => { outgroup.store.decide(said); }", decision)
            person.settled(number)
            person.wait(f"outgroup.store.shown === {number + 1}")
        person.page.evaluate("document.querySelector('.tray details').open = true")
        person.page.get_by_role("button", name="Versions").click()
        person.page.get_by_role("button", name="name version 2").focus()
        person.press("Enter")
        for name, end in (("7", "A name must not be a number"), (NAME, "")):
            person.page.get_by_role("textbox", name="Version 2 is called").fill(name)
            person.press("Enter")
            if end:
                assert end in person.page.get_by_role("alert").inner_text()
        person.page.locator(".desk .called", has_text=NAME).wait_for()
        person.page.get_by_role("button", name="go back to version 2").click()
        person.wait("outgroup.store.shown === 4")
        person.page.evaluate("outgroup.store.decide({ kind: 'rename', group: 0, name: 'one' })")
        person.settled(2)
        person.wait("outgroup.store.shown === 5")
        lines = person.page.locator(".versions > li")
        lines.nth(4).wait_for()  # the list follows the groups
        assert "(version 2 again)" in lines.nth(1).inner_text()
        assert violations(person.page, ".desk") == []
        other = person.tab(person.host + "/")
        assert not person.page.evaluate("outgroup.store.send('name', { version: 2, name: '' })")
        person.wait("outgroup.store.state.versions[1].name === ''", other)  # told to other pages
        other.close()


def desk_text(person):
    return person.page.locator(".desk").inner_text()


def test_groups_that_cannot_be_kept_are_told_and_stay_told(browser, tmp_path):
    documents(tmp_path / "docs.jsonl")
    (tmp_path / "work.outgroup").symlink_to("nowhere/else")  # it is not followed, and not replaced
    with workbench(tmp_path, "--project", "work.outgroup") as (address, _):
        page = _tab(browser)
        page.goto(address)
        page.get_by_text("The last fit failed.").wait_for()
        page.reload()
        assert "work.outgroup exists" in page.get_by_role("alert").first.inner_text()
        page.goto("about:blank")


def test_an_answer_leads_to_the_next_question(browser, tmp_path):
    with met(browser, tmp_path) as person:
        asked, ids = "outgroup.questions.current()", ["d0", "d7", "d3", "d8"]
        person.wait("!outgroup.questions.looking")
        person.page.evaluate("(ids) => outgroup.store.meet(ids)", ids)
        each = [{"id": id, "kind": "document", "why": "Which?", "group": 0, "rival": 1} for id in ids]
        person.page.evaluate(
            "(all) => { outgroup.questions.propose = async () => {}; outgroup.questions.proposals = all; }", each
        )
        person.page.evaluate("outgroup.draw()")
        first, second, third, _ = ids
        person.wait(f"{asked}?.id === '{first}'")
        person.press("y")  # nothing is open: it is about the document of the question
        person.settled(1)
        person.wait(f"{asked}?.id === '{second}'")
        person.page.get_by_label("stay after an answer").uncheck()
        person.press("o")
        person.wait(f"outgroup.doc >= 0 && outgroup.store.row(outgroup.doc).id === '{second}'")
        person.press("x")
        person.settled(2)
        person.wait(f"{asked}?.id === '{third}' && outgroup.store.row(outgroup.doc).id === '{third}'")
        person.page.get_by_label("stay after an answer").check()
        person.press("y")
        person.settled(3)
        person.drawn()
        assert person.page.evaluate("outgroup.store.row(outgroup.doc).id") == third
        answered = person.page.evaluate("outgroup.store.decisions.map(({ documents }) => documents[0])")
        assert answered == [first, second, third]


def kept(person):
    """The decisions of the workbench: their kind, group, and the number of their documents."""
    return person.page.evaluate(
        "outgroup.store.decisions.map(({ kind, groups, documents }) => [kind, groups ?? null, documents?.length ?? 0])"
    )


def test_documents_that_are_chosen_are_placed_by_one_decision(browser, tmp_path):
    with met(browser, tmp_path, texts=[*TEXTS, *TEXTS[6:12]]) as person:
        rails = person.group("d6")
        person.go(f"view=list&group={1 - rails}&sort=longest")
        boxes, bar = person.page.locator(".virtual .choose input"), person.page.locator(".bulk")
        assert not bar.is_visible()
        boxes.nth(0).click()
        boxes.nth(3).click(modifiers=["Shift"])
        bar.get_by_text("4 documents chosen").wait_for()
        boxes.nth(1).click()
        bar.get_by_text("3 documents chosen").wait_for()
        person.press(str(rails))
        person.settled(1)
        assert kept(person) == [["label", [rails], 3]]
        person.wait("outgroup.store.shown === 2")
        assert not bar.is_visible()
        person.page.locator(".question .progress span", has_text="The last answer moved 3 documents").wait_for()
        person.press("z")
        person.settled(0)
        person.wait("outgroup.store.shown === 3")
        person.wait("!document.querySelector('.question .progress').textContent.includes('moved')")  # it is undone
        for row in (0, 1):
            boxes.nth(row).click()
        bar.get_by_role("button", name="Belong together").click()
        person.settled(1)
        assert kept(person) == [["pair", None, 2]]
        person.press("z")
        person.settled(0)
        person.go("view=list&q=tea")
        bar.get_by_text("All 6 hits").wait_for()
        bar.get_by_role("button", name="Are junk").click()
        person.settled(1)
        assert kept(person)[0][:2] == ["label", []]
        assert violations(person.page, ".documents-list") == []


FITTED = "(({{ state, stamp, taken, count }}) => !state.busy && stamp === taken && count === {})(outgroup.store)"
"""Whether a fit with so many groups has arrived in full."""


def test_the_number_of_groups_is_chosen_by_a_slider_and_undone(browser, tmp_path):
    with met(browser, tmp_path, "-k", "4", "--levels", "6") as person:
        person.go("view=tree")
        assert person.page.locator(".drawn-tree circle").count() == 4
        labels = "[...outgroup.store.columns.group]"
        fitted = person.page.evaluate(labels)
        slider = person.page.locator("#level")
        slider.focus()
        person.press("ArrowLeft", "ArrowLeft")
        person.wait("outgroup.store.level === 2")
        seen = person.page.evaluate(labels)
        assert violations(person.page, ".tree") == violations(person.page, ".levels") == []
        person.page.get_by_role("button", name="Keep 2 groups").click()
        person.wait(FITTED.format(2))
        assert [each["kind"] for each in person.page.evaluate("outgroup.store.decisions")] == ["level"]
        assert person.page.evaluate(labels) == seen
        person.page.keyboard.press("z")
        person.wait(FITTED.format(4))
        assert person.page.evaluate(labels) == fitted
        person.go("view=tree&level=2")
        seen = person.page.evaluate(labels)
        person.page.evaluate("""() => {
            const { map, store } = outgroup, { take } = map, { shown } = store;
            const take_and_note = (still) => { take.call(map, still); rings.push(...(map.motion?.moved ?? [])); };
            Object.assign(globalThis, { shown, rings: [] });
            map.take = take_and_note;
            store.keep({ kind: 'label', documents: ['d0'], groups: [store.fitted.columns.group[0]] });
        }""")
        person.wait("outgroup.store.shown > shown && outgroup.store.level === 2")
        now = person.page.evaluate(labels)
        assert set(person.page.evaluate("rings")) == {i for i, group in enumerate(now) if group != seen[i]}
        person.page.keyboard.press("z")
        person.wait("outgroup.store.shown > shown + 1")
        person.go("view=tree")
        assert person.page.evaluate(labels) == fitted
        box = slider.bounding_box()
        person.page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
        person.wait("outgroup.store.level === 6")
        seen = person.page.evaluate(labels)
        person.page.get_by_role("button", name="Keep 6 groups").click()
        person.wait(FITTED.format(6))
        assert person.page.evaluate(labels) == seen


def test_a_digit_with_shift_adds_a_further_group_and_takes_it_away(browser, tmp_path):
    with met(browser, tmp_path) as person:
        person.go("doc=d0")
        own = person.page.evaluate("outgroup.store.row(outgroup.doc).group")
        for count in (1, 2):
            person.press(f"Shift+Digit{1 - own}")
            person.settled(count)
            person.wait(f"outgroup.store.shown === {count + 1}")
            person.wait(f"document.querySelectorAll('.shared li').length === {4 - 2 * count}")
        assert person.page.evaluate("outgroup.store.decisions.map(({ groups }) => groups)") == [[own, 1 - own], [own]]
        person.page.get_by_role("button", name="Decisions").click()
        person.page.locator(".desk").get_by_text(re.compile("belongs to .* and ")).wait_for()


def test_a_document_that_was_left_out_is_read_and_placed(browser, tmp_path):
    with met(browser, tmp_path, "--out", "result", texts=[*TEXTS, "<i>...</i> --- ..."]) as person:
        person.page.get_by_text("1 more document was left out").click()
        person.page.locator(".panel").get_by_role("button", name="d12").click()
        person.page.locator("dialog .left-out", has_text="---").wait_for()
        person.press("1")
        person.settled(1)
        assert kept(person) == [["label", [1], 1]]
        person.page.locator(".last", has_text="the document has no known word").wait_for()
        person.page.get_by_role("button", name="Export").click()
        person.page.get_by_text("Written to").wait_for()
        table = (tmp_path / "result" / "assignments.csv").read_text(encoding="utf-8")
        assert "\nd12,title 12,1," in table
