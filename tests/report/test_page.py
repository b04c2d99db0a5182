"""The page in a real browser, by mouse and by keyboard alone, on a wide screen and a small one, without a network."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from outgroup.decisions import Label, Merge, Rename, Split, Word, read_decisions
from outgroup.report.html import render
from outgroup.summary.records import SeveralGroups
from outgroup.summary.sentences import GLOSSARY

from .browser import Visit, violations
from .test_trust import figures, trust

N, K = 60, 3
HOSTILE = [
    "<script>ran()</script>", "<img src=x onerror=ran()>", "<iframe src=javascript:ran()>", "javascript:ran()",
    '"><script>ran()</script>', "'><img src=x onerror=ran()>", "</script><script>ran()</script>",
    "</textarea><script>ran()</script>", "--><script>ran()</script>", "<details open ontoggle=ran()>",
    "<a href=javascript:ran()>x</a>", "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>", "<link rel=stylesheet href=//evil.example>",
    "<math><mi xlink:href=javascript:ran()>", "<input autofocus onfocus=ran()>", "${ran()}", "{{ran()}}",
    "{{constructor.constructor('ran()')()}}", "\\u003cscript\\u003eran()", "&lt;script&gt;ran()", "__proto__",
    "constructor", "#group=1&doc=id-2", "\\", "$&$1$`", "(?<![", "\u202e<b>\x00\x1e\ud83d\ud83d\ude00",
]  # fmt: skip


@pytest.fixture
def report(full, tmp_path):
    def write(n=N, k=K, size=5.0, codes=(), documents=(), **changes):
        path, summary = tmp_path / "report.html", full(n, k, **changes)
        groups = [replace(group, code=code) for group, code in zip(summary.groups, codes, strict=False)]
        summary = replace(summary, documents=replace(summary.documents, **dict(documents)))
        path.write_text(render(replace(summary, groups=groups or summary.groups), size), encoding="utf-8")
        return path

    return write


def test_the_file_loads_nothing_and_shows_every_document(browser, report):
    path = report()
    with Visit(browser, path, place="#view=list") as visit:
        assert {url.split("#")[0] for url in visit.asked} == {path.as_uri()}
        assert visit.text(".count") == "60 documents"
        visit.page.locator(".rows").evaluate("box => { box.scrollTop = box.scrollHeight }")
        visit.page.wait_for_selector('.virtual li[aria-posinset="60"]')
        assert visit.page.locator(".virtual li").count() < 40
        visit.page.evaluate("location.hash = '#view=list&sort=longest'")
        lengths = "outgroup.list.rows.map((i) => outgroup.store.row(i).length)"
        visit.wait("outgroup.list.key?.includes('longest')")
        found = visit.page.evaluate(lengths)
        assert found == sorted(found, reverse=True)
        assert visit.wrong == []


def test_a_search_takes_and_or_and_not(browser, report):
    wanted = {
        "tea": [0, 1, 2],
        "tea milk": [1],
        "tea AND milk": [1],
        "milk OR rails": [1, 3],
        "tea NOT milk": [0, 2],
        "NOT tea NOT nothing": [3],
        'tea OR rails NOT "green tea"': [0, 1, 3],
    }
    texts = ["tea", "tea with milk", "green tea", "rails", *["nothing"] * (N - 4)]
    with Visit(browser, report(texts=texts)) as visit:
        visit.wait("outgroup.store.length")
        search = """async (queries) => Object.fromEntries(await Promise.all(queries.map(async (q) => {
            const { hits } = await outgroup.store.find({ q });
            return [q, [...hits.keys()].filter((i) => hits[i])];
        })))"""
        assert visit.page.evaluate(search, [*wanted]) == wanted
        assert visit.wrong == []


def test_a_deep_link_leads_to_a_document_and_back_goes_back(browser, report):
    with Visit(browser, report(), place="#group=2&doc=id-5") as visit:
        assert visit.text(".reading h2") == "Note 5"
        assert "2 " in visit.text(".facts dd:nth-of-type(2)")
        assert visit.page.locator(".reading .why .word").count() > 0
        assert visit.page.locator(".reading mark").count() > 0
        visit.page.locator(".reading .few a").first.click()
        visit.wait("!location.hash.includes('id-5')")
        visit.page.go_back()
        visit.wait("location.hash.includes('doc=id-5')")
        assert visit.text(".reading h2") == "Note 5"


def test_every_correction_by_keyboard_alone_leaves_as_the_same_decisions(browser, report, tmp_path):
    with Visit(browser, report(), place="#view=list&group=1") as visit:
        visit.press("j")
        visit.wait("outgroup.doc >= 0")
        first = visit.page.evaluate("outgroup.store.ids[outgroup.doc]")
        visit.press("2", "j")
        visit.wait(f"outgroup.store.ids[outgroup.doc] !== {first!r}")
        second = visit.page.evaluate("outgroup.store.ids[outgroup.doc]")
        visit.press("x", "b")
        visit.page.wait_for_selector("dialog")
        visit.press("ArrowDown", "Enter")
        visit.wait("outgroup.store.decisions.length === 3")
        visit.press("Escape")
        visit.page.wait_for_selector(".ranked")
        visit.page.locator(".ranked .word").first.focus()
        word = visit.page.locator(".ranked .word").first.get_attribute("data-word")
        visit.press("n")
        visit.page.locator(".ranked .word").nth(1).focus()
        other = visit.page.locator(".ranked .word").nth(1).get_attribute("data-word")
        visit.press("w")
        visit.page.wait_for_selector("dialog")
        visit.press("Enter")
        visit.press("s", "r")
        visit.page.wait_for_selector("dialog input")
        visit.page.keyboard.type('bread "and" ovens')
        visit.press("Enter", "m")
        visit.page.wait_for_selector("dialog")
        visit.press("Enter")
        visit.wait("outgroup.store.decisions.length === 8")
        visit.press("z", "z", "Z", "Z")
        with visit.page.expect_download() as download:
            visit.page.get_by_role("link", name="Download steering.toml").press("Enter")
        target = tmp_path / "steering.toml"
        download.value.save_as(target)
        found = read_decisions(target)
        assert found[:2] == (Label(first, 2), Label(second, ()))
        assert [type(each) for each in found[2:]] == [Label, Word, Word, Split, Rename, Merge]
        assert (found[3], found[4].words, found[6].name) == (Word(word), (other,), 'bread "and" ovens')
        assert visit.text('.entry[data-group="1"] bdi') == 'bread "and" ovens'
        assert "--steer steering.toml" in visit.text(".tray pre") or "outgroup cluster" in visit.text(".tray pre")
        assert visit.wrong == []


def test_an_opened_document_shows_its_other_columns(browser, report):
    months = [f"2024-{i % 9 + 1:02}" for i in range(N)]
    others = {"month": [f"{month}-05" for month in months], "who": ["", HOSTILE[0]] * 30}
    given = {"fields": {"month": months}, "documents": {"others": others}}
    with Visit(browser, report(**given), place="#doc=id-3") as visit:
        visit.wait("outgroup.doc === 3")
        facts = """[...document.querySelectorAll(".facts dt")]
            .map((each) => [each.textContent, each.nextElementSibling.textContent])"""
        shown = visit.page.evaluate(facts)
        assert [value for name, value in shown if name in others] == ["2024-04-05", HOSTILE[0]]
        visit.page.locator(".facts a", has_text="2024-04-05").click()
        visit.wait("outgroup.found?.total > 1 && outgroup.route.where[0]?.[1] === '2024-04'")
        visit.page.evaluate("location.hash = '#doc=id-2'")
        visit.wait("outgroup.doc === 2")
        assert "who" not in [name for name, _ in visit.page.evaluate(facts)]
        assert visit.wrong == []
    with Visit(browser, report(size=0, **given)) as visit:
        visit.wait("outgroup.store.length")
        assert "Of their columns month, who are not." in visit.text(".side")


def test_passages_of_an_opened_document_are_marked_in_the_colour_of_their_group(browser, report):
    texts = [f"Note {i}. {HOSTILE[1]} of the bread \U0001f600.  The train." for i in range(N)]
    text, end = texts[3], texts[3].index("  The")
    several = {3: SeveralGroups([(1, 0.6), (2, 0.4)], [(7, -1, 0.5), (end, 1, 0.9), (len(text), 2, 0.8)])}
    path = report(texts=texts, documents={"several": several})
    with Visit(browser, path, place="#doc=id-3") as visit:
        visit.page.locator(".passage").first.wait_for()
        marks = """[...document.querySelectorAll(".passage")].map((each) =>
            [each.className, each.title.split(",").at(-1)])"""
        assert visit.page.evaluate(marks) == [["passage g1", " 90\u00a0%"], ["passage g2", " 80\u00a0%"]]
        visit.page.evaluate("for (const each of document.querySelectorAll('.whose')) each.remove()")
        assert visit.page.locator("div.text").text_content() == text
        assert visit.page.locator(".passage").last.text_content() == "The train."
        assert visit.page.locator(".shared li").count() == 2
        assert violations(visit.page, ".reading") == []
        visit.page.evaluate("location.hash = '#doc=id-4'")
        visit.wait("outgroup.doc === 4 && document.querySelector('.reading h2').textContent === 'Note 4'")
        assert visit.page.locator(".passage, .shared").count() == 0
        assert visit.wrong == []


def test_documents_begin_a_group_that_others_are_put_to_by_its_name(browser, report):
    with Visit(browser, report(), place="#view=list&group=1&q=oven") as visit:
        visit.wait("outgroup.found?.total > 1")
        visit.page.locator(".bulk").get_by_role("button", name="New group").click()
        visit.page.keyboard.type("7")
        visit.press("Enter")
        assert "number" in visit.text("dialog .wrong")
        visit.press("Control+a")
        visit.page.keyboard.type(visit.page.evaluate("outgroup.store.name(2)"))
        visit.press("Enter")
        assert visit.text("dialog .wrong").startswith("Group 2 ")
        visit.press("Control+a")
        visit.page.keyboard.type("<i>baking</i>")
        visit.press("Enter")
        visit.wait("outgroup.store.decisions.length === 1")
        hits = visit.page.evaluate("outgroup.list.rows.map((i) => outgroup.store.ids[i])")
        assert visit.decisions() == [{"kind": "new-group", "documents": hits[:20], "name": "<i>baking</i>"}]
        assert visit.text(".tray ol li span").endswith(
            f"and {len(hits[:20]) - 1} more are a new group called <i>baking</i>"
        )
        assert visit.page.locator(".virtual .sign", has_text="<i>baking</i>").count() > 1
        others = visit.page.evaluate(
            "[...outgroup.store.ids.keys()].filter((i) => !outgroup.found.hits[i]).slice(0, 3)"
        )
        for row, how in zip(others, ("b", "g", "y"), strict=True):
            visit.page.evaluate(f"location.hash = `#doc=${{outgroup.store.ids[{row}]}}`")
            visit.wait(f"outgroup.doc === {row}")
            visit.press(how)
            if how != "y":
                visit.page.wait_for_selector("dialog")
                visit.page.keyboard.type("<i>baking</i>")
                visit.press("Enter")
        visit.wait("outgroup.store.decisions.length === 4")
        ids = visit.page.evaluate(f"{others}.map((i) => outgroup.store.ids[i])")
        assert [(*each["documents"], *each["groups"]) for each in visit.decisions()[1:3]] == [
            (document, "<i>baking</i>") for document in ids[:2]
        ]
        assert visit.wrong == []


def test_perhaps_junk_and_proposed_groups_are_opened_accepted_and_dismissed(browser, report):
    junk = ["office, limited"] * 3 + [HOSTILE[0]] * 2 + [""] * (N - 5)
    new = [""] * (N - 4) + ["bird food"] * 2 + ["2024"] * 2
    with Visit(
        browser, report(fields={"Junk?": junk, "Proposed": new}, documents={"asides": ["Junk?", "Proposed"]})
    ) as visit:
        asides = visit.page.locator(".asides p")
        asides.first.wait_for()
        assert violations(visit.page, ".asides") == []
        assert asides.count() == 4
        asides.filter(has_text="office").get_by_role("link").click()
        visit.wait("outgroup.list.rows.length === 3 && outgroup.place.dataset.view === 'list'")
        assert visit.page.locator(".chips button").count() == 1
        visit.press("Escape")
        asides.filter(has_text="office").get_by_role("button", name="junk", exact=True).click()
        asides.filter(has_text="ran()").get_by_role("button", name="not junk").press("Enter")
        asides.filter(has_text="2024").get_by_role("button", name="a new group").press("Enter")
        asides.filter(has_text="bird").get_by_role("button", name="a new group").click()
        visit.wait("outgroup.store.decisions.length === 4")
        assert visit.decisions() == [
            {"kind": "label", "documents": ["id-0", "id-1", "id-2"], "groups": []},
            {"kind": "not-a-group", "documents": ["id-3", "id-4"]},
            {"kind": "new-group", "documents": [f"id-{N - 2}", f"id-{N - 1}"]},
            {"kind": "new-group", "documents": [f"id-{N - 4}", f"id-{N - 3}"], "name": "bird food"},
        ]
        visit.wait("document.querySelectorAll('.asides p').length === 0")
        visit.press("z")
        asides.filter(has_text="bird").wait_for()
        assert visit.wrong == []


def test_the_numbers_of_a_codebook_are_shown_and_typed(browser, report):
    grown = trust(figures(0, "tight"), figures(1, "mixed", mixed_with=2, nearest=2), figures(2, "leftovers"))
    with Visit(browser, report(trust=grown, codes=(4, 7, 2)), place="#view=list&group=0") as visit:
        assert visit.page.locator(".entry .n").all_inner_texts() == ["4", "7", "2"]
        assert visit.text(".panel h2 .n") == "4"
        assert "(group 2)" in visit.text("#trust")
        visit.wait("outgroup.map.placed.length === 3")  # the map is drawn in a later frame
        shown = visit.page.evaluate("outgroup.map.placed.map(({ text }) => text.split(' ')[0]).sort()")
        assert shown == ["2", "4", "7"]
        visit.press("j")
        visit.wait("outgroup.doc >= 0")
        visit.press("7")
        visit.wait("outgroup.store.decisions.length === 1")
        visit.press("1")
        assert "no group 1" in visit.text(".toast")
        assert [each["groups"] for each in visit.decisions()] == [[1]]
        assert "belongs to 7 " in visit.text(".tray ol li")
        visit.page.evaluate("location.hash = '#group=1'")
        visit.page.locator(".panel .trust", has_text="mixed with group 2").wait_for()
        assert visit.wrong == []


def test_corrections_by_mouse_are_kept_over_a_reload_and_undone(browser, report):
    with Visit(browser, report()) as visit:
        visit.page.locator('.entry[data-group="0"]').click()
        visit.page.locator(".ranked .word").first.click()
        visit.page.get_by_role("button", name="is noise").click()
        visit.page.locator(".panel .few a").first.click()
        visit.page.get_by_role("button", name="Is junk").click()
        visit.wait("outgroup.store.decisions.length === 2")
        visit.page.reload()
        visit.page.wait_for_selector(".tray li")
        tray, head = (visit.page.locator(each).bounding_box() for each in (".tray", ".tray summary"))
        assert head["y"] - tray["y"] < 4  # of a low panel no line is left empty
        assert [each["kind"] for each in visit.decisions()] == ["word", "label"]
        visit.page.locator(".tray li", has_text="is noise").get_by_role("button", name="undo").click()
        assert [each["kind"] for each in visit.decisions()] == ["label"]
        visit.page.get_by_role("button", name="Undo z").click()
        assert visit.page.locator(".tray ol li").count() == 0
        for _ in range(2):
            visit.page.get_by_role("button", name="Redo").click()
        assert [each["kind"] for each in visit.decisions()] == ["word", "label"]


def test_the_map_leads_to_documents_and_groups_and_every_name_can_be_read(browser, report):
    with Visit(browser, report(400, 40)) as visit:
        at = visit.page.evaluate("""() => {
            const { map } = outgroup, i = 7, box = map.front.getBoundingClientRect();
            map.camera.to(map.points.x[i], map.points.y[i], 0.25); map.camera.zoom = 30; map.camera.bound(); map.draw();
            return [box.x + map.camera.toX(map.points.x[i]), box.y + map.camera.toY(map.points.y[i])];
        }""")
        visit.page.evaluate("outgroup.map.placed = []")  # no name lies over the dot
        visit.page.mouse.move(*at)
        assert "Note" in visit.text("#tip")
        visit.page.mouse.click(*at)
        visit.wait("outgroup.doc >= 0")
        unread = visit.page.evaluate("""() => {
            const { map } = outgroup, numbers = [...map.regions.keys()];
            map.show({ group: null, doc: -1, hits: null });
            return numbers.filter((number) => {
                const region = map.regions.get(number);
                map.camera.to(region.x, region.y, 0.8);
                map.camera.by(2);
                map.still = true;  // as soon as it rests
                map.draw();
                return !map.placed.some((label) => label.number === number);
            });
        }""")
        assert unread == []
        before = visit.page.evaluate("outgroup.map.camera.zoom")
        visit.page.locator(".map canvas").last.focus()
        visit.press("0", "+", "+", "ArrowLeft")
        assert visit.page.evaluate("outgroup.map.camera.zoom") != before
        assert visit.wrong == []


@pytest.mark.parametrize("width", [390, 1400])
def test_a_line_leads_to_every_name_that_lies_over_other_groups(browser, report, width):
    with Visit(browser, report(600, 20), width=width) as visit:
        visit.wait("outgroup.map.placed.length > 0")
        strays = visit.page.evaluate(
            "outgroup.map.placed.filter((name) => outgroup.map.beneath().strays(name.box, name))"
        )
        assert [name["text"] for name in strays if not name["line"]] == []
        assert visit.wrong == []


def test_the_density_of_many_documents_has_no_steps(browser, report):
    with Visit(browser, report(400, 8)) as visit:
        step, most = visit.page.evaluate("""() => {
            const { map } = outgroup;
            Object.defineProperty(map, "dense", { value: true });
            map.drawNames = () => {};
            map.draw();
            const { width, height } = map.front, pen = map.front.getContext("2d");
            const { data } = pen.getImageData(0, 0, width, height);
            let [step, most] = [0, 0];
            for (let i = 1; i < data.length / 4; i++) {
                most = Math.max(most, data[4 * i + 3]);
                if (i % width) step = Math.max(step, Math.abs(data[4 * i + 3] - data[4 * i - 1]));
            }
            return [step, most];
        }""")
        assert 0 < step < 0.6 * most
        assert visit.wrong == []


@pytest.mark.parametrize("width", [1400, 390])
def test_the_tour_points_at_five_parts_by_mouse_and_by_keyboard(browser, report, width):
    with Visit(browser, report(), width=width) as visit:
        tour = visit.page.get_by_role("dialog")
        seen = set()
        visit.page.get_by_role("button", name="Tour", exact=True).click()
        for at in range(1, 6):
            assert visit.page.get_by_role("dialog", name=f"Tour, {at} of 5").count() == 1
            box = tour.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= visit.page.viewport_size["height"]
            seen.add((visit.text(".tour"), visit.page.locator(".pointed").count()))
            assert violations(visit.page, ".tour") == []
            visit.press("Enter") if at % 2 else tour.get_by_role("button").last.click()
        assert len(seen) == 5
        assert {count for _, count in seen} == {1}
        assert tour.count() == visit.page.locator(".pointed").count() == 0
        visit.press("Enter")  # where it began
        visit.press("x", "Escape")
        assert tour.count() == 0
        assert visit.decisions() == []
        assert visit.wrong == []


SIZES = "[...outgroup.store.sizes()].filter(([, size]) => size)"


def test_the_slider_shows_fewer_and_more_groups_everywhere(browser, report):
    levels = [[("all of it", [0, 1, 2, 3, 4, 5, 6])], [(f"part {g}", [g]) for g in range(7)]]
    with Visit(browser, report(60, 5, finest=7, levels=levels)) as visit:
        fitted, slider = dict(visit.page.evaluate(SIZES)), visit.page.locator("#level")
        assert (len(fitted), slider.input_value(), slider.get_attribute("max")) == (5, "5", "7")
        slider.focus()
        visit.press("ArrowLeft", "ArrowLeft")
        visit.wait("outgroup.store.level === 3 && outgroup.route.level === 3")
        few = dict(visit.page.evaluate(SIZES))
        assert (len(few), sum(few.values())) == (3, 60)
        assert visit.page.locator(".entry[data-group]").count() == 3
        assert visit.page.evaluate("[...outgroup.map.regions.keys()].sort()") == sorted(few)
        lead = next(group for group in few if few[group] > fitted[group])
        visit.page.evaluate(f"location.hash = '#level=3&view=list&group={lead}'")
        visit.wait(f"outgroup.list.rows.length === {few[lead]}")
        assert visit.page.locator(f".doc.g{lead}").count() == visit.page.locator(".doc").count() > 0
        visit.page.get_by_role("button", name="Back to 5").click()
        visit.wait("outgroup.store.level === 5")
        assert dict(visit.page.evaluate(SIZES)) == fitted
        slider.focus()
        visit.press("End")
        visit.wait("outgroup.store.level === 7")
        many = dict(visit.page.evaluate(SIZES))
        assert (len(many), sum(many.values()), max(many)) == (7, 60, 6)
        names = " ".join(visit.page.locator(".entry[data-group] .what").all_inner_texts())
        assert names.count("part") >= 3  # of those that were split
        assert "part 5" in names
        assert "part 6" in names
        visit.press("Home")
        visit.wait("outgroup.store.level === 1")
        assert "all of it" in visit.page.locator(".entry[data-group]").inner_text()
        assert visit.wrong == []


def test_a_suggested_number_has_a_reason_and_is_kept_as_a_decision(browser, report):
    points = [
        dict.fromkeys(("modularity", "bits", "stability"), 0.0) | {"n_clusters": k, "stability": -k} for k in (2, 3, 5)
    ]
    profile = {"points": points, "candidates": [2, 3, 5], "chosen": 3, "rows": 60}
    with Visit(browser, report(60, 3, finest=5, profile=profile)) as visit:
        visit.page.get_by_role("button", name="2", exact=True).click()
        visit.wait("outgroup.store.level === 2")
        assert "most stable" in visit.text("#level-reason")
        assert violations(visit.page, ".levels") == []
        visit.press("PageDown")
        visit.page.evaluate("location.hash = '#level=2&group=0'")
        visit.page.get_by_role("button", name="Split").wait_for()
        assert visit.page.get_by_role("button", name="Split").is_disabled()  # a view takes no decision
        visit.page.get_by_role("button", name="Keep 2 groups").click()
        visit.wait("outgroup.store.decisions.length === 1")
        assert visit.decisions() == [{"kind": "level", "count": 2}]
        visit.wait("outgroup.route.level === null && outgroup.store.level === 2")
        assert visit.page.get_by_role("button", name="Split").is_enabled()
        visit.page.evaluate("location.hash = '#level=4'")  # it would cut the groups of the one before
        visit.wait("outgroup.store.level === 4")
        assert visit.page.get_by_role("button", name="Keep 4 groups").is_disabled()
        visit.page.evaluate("location.hash = '#level=off-topic'")
        visit.wait("outgroup.route.level === null && outgroup.store.level === 2")
        visit.press("z")
        visit.wait("outgroup.store.level === 3")
        assert visit.decisions() == []
        assert visit.wrong == []


def test_the_whole_map_names_branches_and_the_groups_nearer(browser, report):
    names = "[...outgroup.map.groupsOf].map(([, inside]) => inside.length)"
    with Visit(browser, report(300, 40)) as visit:
        visit.wait("outgroup.map.placed.length")
        assert (len(inside := visit.page.evaluate(names)), sum(inside)) == (12, 40)
        assert not any(text[0].isdigit() for text in visit.page.evaluate("outgroup.map.placed.map(({ text }) => text)"))
        place = visit.page.evaluate("""() => {
            const found = outgroup.map.placed.find(({ number }) => outgroup.map.groupsOf.get(number).length > 1),
                { left, top } = outgroup.map.front.getBoundingClientRect();
            return [left + found.x, top + found.y];
        }""")
        visit.page.mouse.click(*place)
        visit.wait("outgroup.map.camera.zoom >= 1.6 && outgroup.map.groupsOf.size === 40")
        assert visit.page.evaluate("outgroup.route.group") is None
        visit.page.locator(".map canvas").last.focus()
        visit.press("0")
        visit.wait("outgroup.map.groupsOf.size === 12")
        assert visit.wrong == []


def test_lists_and_groups_of_the_map_are_gone_through_by_keys(browser, report):
    with Visit(browser, report(), place="#view=list") as visit:
        visit.page.locator(".virtual .doc").first.focus()
        visit.press("ArrowDown", "ArrowDown", "ArrowUp")
        assert visit.page.evaluate("document.activeElement.dataset.at") == "1"
        visit.page.locator(".entry[data-group='0']").focus()
        visit.press("ArrowDown", "Enter")
        visit.wait("outgroup.route.group === 1")
        visit.page.evaluate("location.hash = ''")
        visit.wait("outgroup.place.dataset.view === 'map' && outgroup.route.group === null")
        visit.page.locator(".map canvas").last.focus()
        for key, group in (("PageDown", 0), ("PageDown", 1), ("PageUp", 0), ("PageUp", 2)):
            visit.press(key)
            visit.wait(f"outgroup.route.group === {group}")
        assert visit.wrong == []


def test_groups_are_coloured_filtered_and_sorted_by_trust_and_say_what_that_means(browser, report):
    groups = [figures(0, "loose", score=0.2), figures(1, "tight", score=0.5), figures(2, "mixed", mixed_with=1)]
    with Visit(browser, report(trust=trust(*groups))) as visit:
        unsure = visit.page.locator(".sentences li", has_text="The border is uncertain between 2")
        link = unsure.get_by_role("link", name="read the least sure")
        assert link.get_attribute("href") == "#view=list&group=2&sort=uncertain"
        visit.page.get_by_label("Order of the groups").select_option("by trust")
        assert visit.page.locator(".entry .n").all_inner_texts() == ["1", "0", "2"]
        visit.page.get_by_label("Colour of the dots").select_option("group trust")
        assert visit.text(".legend").split() == ["tight", "loose", "mixed", "leftovers"]
        visit.page.get_by_role("link", name="1 mixed").click()
        visit.wait("outgroup.found?.total === 20")
        assert visit.page.evaluate("[...outgroup.found.groups.keys()]") == [2]
        visit.page.locator('.entry[data-group="2"]').click()
        visit.wait("outgroup.route.group === 2")
        assert visit.page.locator(".trust .sign").first.get_attribute("title") == GLOSSARY["mixed"]
        assert "Found again in 12 of 20 fits" in visit.text(".panel .trust")
        visit.page.get_by_role("link", name="Read the least sure documents.").click()
        visit.wait("outgroup.place.dataset.view === 'list'")
        assert visit.wrong == []


def test_a_small_screen_shows_all_of_it(browser, report):
    labels = [f"a label of more words than a small screen has room for, {i % 3}" for i in range(N)]
    with Visit(browser, report(true_labels=labels), width=390, place="#group=1") as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
        boxes = visit.page.evaluate(
            "[...document.querySelectorAll('nav.parts a')].map((each) => [each.offsetLeft, each.scrollWidth])"
        )
        assert len(boxes) > 3
        assert all(left + width <= right for (left, width), (right, _) in pairwise(boxes))
        visit.page.locator(".panel .few a").first.tap()
        visit.wait("outgroup.doc >= 0")
        visit.page.get_by_role("button", name="Belongs to").tap()
        visit.page.locator("dialog .options button").last.tap()
        visit.wait("outgroup.store.decisions.length === 1")
        for view in ("list", "tree"):
            visit.page.locator(f'.tabs a[data-view="{view}"]').tap()
            visit.wait(f"outgroup.place.dataset.view === {view!r}")
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert visit.wrong == []


def test_hostile_text_is_text_everywhere(browser, report):
    n = 40
    nasty = [HOSTILE[i % len(HOSTILE)] for i in range(n)]
    path = report(
        n,
        3,
        titles=nasty,
        ids=[f"{text}{i}" for i, text in enumerate(nasty)],
        texts=[f"{text} garden bread train {text}" for text in nasty],
        feature_names=[f"{text}{i}" for i, text in enumerate(HOSTILE[:18])],
        true_labels=nasty,
        names=HOSTILE[:3],
        fields={HOSTILE[0]: nasty},
        run={"title": HOSTILE[5], "next": HOSTILE[7]},
    )
    with Visit(browser, path, place="#view=list") as visit:
        visit.page.evaluate("() => { window.ran = () => { throw new Error('a document ran') } }")
        for i in range(0, n, 2):
            visit.page.evaluate("(i) => { outgroup.pick({ doc: i }) }", i)
            visit.wait(f"outgroup.doc === {i}")
            visit.page.evaluate("outgroup.actions.junk()")
        assert visit.page.locator(".reading h2").inner_text().strip()
        for place in ("#group=1", "#view=tree", "#group=off-topic", "#q=" + "%3Cscript%3E"):
            visit.page.evaluate("(place) => { location.hash = place }", place)
            visit.page.wait_for_timeout(60)
        assert visit.page.locator("main img, main iframe, main svg[onload], main base, main object").count() == 0
        assert visit.wrong == []
        assert {url.split("#")[0] for url in visit.asked} == {path.as_uri()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_targets_are_large_and_marks_are_seen_in_forced_colours(browser, report, scheme):
    with Visit(browser, report(), place="#view=list&group=1", color_scheme=scheme) as visit:
        found = violations(visit.page)
        tiny = """() => [...document.querySelectorAll("button, summary, select, input[type=range], nav.parts a")]
            .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 24)
            .map((each) => each.outerHTML.slice(0, 90))"""
        assert visit.page.evaluate(tiny) == []
        visit.page.emulate_media(forced_colors="active")
        lines = "(each) => getComputedStyle(each).outlineStyle"
        assert visit.page.locator(".entry[aria-current=true]").evaluate(lines) == "solid"
        assert visit.page.locator(".entry:not([aria-current])").first.evaluate(lines) == "none"
        visit.page.emulate_media(forced_colors="none")
        visit.page.evaluate("location.hash = '#view=tree&doc=id-3'")
        visit.wait("outgroup.doc === 3")
        assert found + violations(visit.page) == []


def test_shares_are_by_weight_also_of_merged_levels(browser, report):
    with Visit(browser, report(weights=np.arange(N) % K + 1.0), place="#group=2") as visit:
        assert "20 documents, 50 % by weight" in visit.text(".panel header").replace("\u00a0", " ")
        visit.page.goto(visit.page.url.split("#")[0] + "#group=")
        visit.page.evaluate("outgroup.store.cutTo(2)")
        merged = visit.page.evaluate(
            "outgroup.store.groups.map(({ number, size }) => [size, outgroup.store.share(number)])"
        )
        assert dict(merged) == pytest.approx({40: 5 / 6, 20: 1 / 6}, abs=1e-5)
        assert visit.wrong == []


def test_shares_are_of_the_documents_in_groups_as_in_tables(browser, report):
    with Visit(browser, report(labels=np.where(np.arange(N) < N - 4, np.arange(N) % K, -1)), place="#group=0") as visit:
        shares = visit.page.evaluate("outgroup.store.groups.map(({ number }) => outgroup.store.share(number))")
        assert shares == pytest.approx([19 / 56, 19 / 56, 18 / 56])
        assert visit.page.evaluate("outgroup.store.share(-1)") == pytest.approx(4 / 60)
