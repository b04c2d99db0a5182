"""Filters of the page: values, ranges, groups and words together, by mouse and keyboard, and as links."""

from dataclasses import replace

import pytest

from outgroup.report.html import render

from .browser import Visit, violations
from .test_page import HOSTILE

N = 60
MONTHS = [f"2024-{i % 12 + 1:02}" for i in range(N)]
PRODUCTS = [("lamp", "kettle", HOSTILE[0])[i % 3] for i in range(N)]
PRICES = ["" if i == 7 else f"{i - 5}.5" for i in range(N)]
KINDS = ["..b" if i % 2 else "a" for i in range(N)]
TEXTS = [f"tea{' with milk' * (i % 2)} number {i}" for i in range(N)]


@pytest.fixture
def path(full, tmp_path):
    summary = full(N, 3, texts=TEXTS, fields={"month": MONTHS, "product": PRODUCTS, "kind": KINDS, "Proposed": KINDS})
    summary = replace(summary, documents=replace(summary.documents, others={"price": PRICES, "month": MONTHS}))
    path = tmp_path / "report.html"
    path.write_text(render(summary), encoding="utf-8")
    return path


def hits(visit):
    return visit.page.evaluate(
        "outgroup.found && [...outgroup.found.hits.keys()].filter((i) => outgroup.found.hits[i])"
    )


def chips(visit):
    return [text.removesuffix(" \u00d7") for text in visit.page.locator(".chips button").all_inner_texts()]


def test_values_of_a_user_are_neither_ranges_nor_proposals_and_a_slash_by_shift_searches(browser, path):
    with Visit(browser, path) as visit:
        assert visit.page.locator(".asides").count() == 0
        visit.page.evaluate("location.hash = 'is.kind=..b'")
        visit.wait("outgroup.found?.total === 30")
        assert hits(visit) == list(range(1, N, 2))
        slash = "{key: '/', code: 'Digit7', shiftKey: true, bubbles: true}"
        visit.page.evaluate(f"document.body.dispatchEvent(new KeyboardEvent('keydown', {slash}))")
        assert visit.page.evaluate("document.activeElement.id") == "q"


def test_filters_combine_and_a_link_opens_the_same(browser, path):
    with Visit(browser, path) as visit:
        visit.page.get_by_role("search").get_by_role("button").click()
        visit.page.get_by_role("dialog").get_by_role("button", name="product").click()
        visit.page.get_by_role("dialog").get_by_role("button", name="lamp 20").click()
        visit.wait("outgroup.found?.total === 20")
        visit.page.get_by_role("search").get_by_role("button").press("Enter")
        visit.page.keyboard.type("prod")
        visit.press("Enter")
        visit.page.get_by_role("dialog", name="product").wait_for()
        visit.page.keyboard.type("kett")
        visit.press("Enter")
        visit.wait("outgroup.found?.total === 40")
        assert chips(visit) == ["product: lamp", "product: kettle"]
        visit.page.evaluate("location.hash += '&q=' + encodeURIComponent('milk NOT \"number 1\"')")
        wanted = [i for i in range(N) if i % 3 < 2 and i % 2 and "number 1" not in TEXTS[i]]
        visit.wait(f"outgroup.found?.total === {len(wanted)}")
        assert hits(visit) == wanted
        visit.page.locator('.entry[data-group="1"]').click()
        visit.page.locator('.tabs a[data-view="list"]').click()
        visit.wait("outgroup.list.rows.length && outgroup.place.dataset.view === 'list'")
        visit.page.get_by_label("Colour of the dots").select_option("product")
        rows = sorted(visit.page.evaluate("outgroup.list.rows"))
        assert rows == [i for i in wanted if i % 3 == 1]
        assert violations(visit.page, ".over") == []
        visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit.page.get_by_role("button", name="Copy link").click()
        link = visit.page.evaluate("navigator.clipboard.readText()")
        visit.page.goto("about:blank")
        visit.page.goto(link)
        visit.wait("globalThis.outgroup?.found && outgroup.place.dataset.view === 'list' && outgroup.colours")
        assert sorted(visit.page.evaluate("outgroup.list.rows")) == rows
        assert visit.page.get_by_label("Colour of the dots").input_value() == "product"
        for name in ("product: kettle", "product: lamp", "1 "):
            visit.page.locator(".chips button", has_text=name).press("Enter")
            visit.wait(
                f"![...document.querySelectorAll('.chips button')].some((each) => each.title.startsWith({name!r}))"
            )
        assert chips(visit) == []
        visit.press("Escape")
        visit.wait("outgroup.found === null")
        assert visit.wrong == []


def test_unknown_columns_and_values_in_an_address_do_no_harm(browser, path):
    with Visit(
        browser, path, place="#is.nothing=1&is.__proto__=x&is.month=2024-05..2024-02&colour=constructor"
    ) as visit:
        visit.wait("outgroup.found?.total === 0")
        assert chips(visit) == ["month: 2024-05 to 2024-02"]
        visit.page.get_by_role("link", name="show all documents").click()
        visit.wait("outgroup.found === null")
        assert visit.wrong == []


def test_a_range_of_dates_is_brushed_by_mouse_and_by_keyboard(browser, path):
    with Visit(browser, path, place="#is.product=lamp") as visit:
        visit.wait("outgroup.found?.total === 20")
        bars = visit.page.locator(".brush .spark li")
        assert bars.count() == 12
        first, last = bars.nth(3).bounding_box(), bars.nth(6).bounding_box()
        visit.page.mouse.move(first["x"] + 3, first["y"] + 10)
        visit.page.mouse.down()
        visit.page.mouse.move(last["x"] + 3, last["y"] + 10, steps=4)
        visit.page.mouse.up()
        visit.wait("outgroup.route.where.length === 2")
        assert chips(visit) == ["product: lamp", "month: 2024-04 to 2024-07"]
        assert hits(visit) == [i for i in range(0, N, 3) if "2024-04" <= MONTHS[i] <= "2024-07"]
        visit.page.get_by_label("First", exact=True).focus()
        visit.press("ArrowRight")
        visit.page.get_by_label("Last", exact=True).focus()
        visit.press("ArrowLeft", "ArrowLeft")
        visit.wait("outgroup.route.where[1]?.[1] === '2024-05..2024-05'")
        assert visit.page.get_by_label("Last", exact=True).get_attribute("aria-valuetext") == "2024-05"
        visit.wait("outgroup.found?.key.includes('2024-05')")
        assert {MONTHS[i] for i in hits(visit)} <= {"2024-05"}
        visit.press("End")
        visit.page.get_by_label("First", exact=True).focus()
        visit.press("Home")
        visit.wait("outgroup.route.where.length === 1")
        assert violations(visit.page, ".brush") == []
        assert visit.wrong == []


def test_numbers_colour_the_map_sort_the_list_and_filter_by_a_range(browser, path):
    with Visit(browser, path, place="#view=list&colour=price") as visit:
        visit.wait("outgroup.colours")
        kinds = visit.page.evaluate("[...outgroup.colours.kind]")
        known = [i for i in range(N) if i != 7]
        assert [kinds[i] for i in known] == sorted(kinds[i] for i in known)  # also below 0
        assert kinds[7] == max(kinds)
        assert len(set(kinds)) > 4
        visit.page.get_by_label("Column").select_option("price")
        visit.wait("outgroup.list.column?.name === 'price'")
        assert visit.page.evaluate("outgroup.list.rows.filter((i) => i !== 7)") == known
        visit.page.get_by_role("search").get_by_role("button").press("Enter")
        visit.page.keyboard.type("price")
        visit.press("Enter")
        visit.wait("document.activeElement.ariaLabel === 'First'")
        for _ in range(10):
            visit.press("ArrowRight")
        visit.wait("outgroup.found")
        first, last = (float(end) for end in visit.page.evaluate("outgroup.route.where[0][1]").split(".."))
        assert first > 0
        assert last == 54.5
        assert hits(visit) == [i for i in known if first <= float(PRICES[i]) <= last]
        assert visit.wrong == []


def test_the_histogram_of_a_range_in_a_link_is_that_of_its_column(browser, path):
    with Visit(browser, path, place="#is.price=1.5..9.5") as visit:
        visit.wait("outgroup.found?.total === 8 && outgroup.brush.state.column?.name === 'price'")
        assert visit.text(".brush summary").startswith("price: ")
        visit.page.locator(".chips button").click()
        visit.wait("outgroup.found === null && outgroup.brush.state.column?.name === 'month'")
        assert visit.wrong == []
