"""The page in a real browser, by mouse and by keyboard alone, on a wide screen and a small one, without a network."""

from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest

from outgroup.decisions import Label, Merge, Rename, Split, Word, read_decisions
from outgroup.report.html import render
from outgroup.summary.records import SeveralGroups
from outgroup.summary.sentences import GLOSSARY

from .browser import Visit, chromium, small, violations
from .test_trust import figures, trust

N, K = 60, 3
HOSTILE = [
    "<script>ran()</script>",
    "<img src=x onerror=ran()>",
    "<svg/onload=ran()>",
    "<iframe src=javascript:ran()>",
    "javascript:ran()",
    '"><script>ran()</script>',
    "'><img src=x onerror=ran()>",
    "</script><script>ran()</script>",
    "</style><script>ran()</script>",
    "</textarea><script>ran()</script>",
    "--><script>ran()</script>",
    "]]><script>ran()</script>",
    "<body onload=ran()>",
    "<details open ontoggle=ran()>",
    "<a href=javascript:ran()>x</a>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<link rel=stylesheet href=//evil.example>",
    "<object data=//evil.example>",
    "<math><mi xlink:href=javascript:ran()>",
    "<input autofocus onfocus=ran()>",
    "<marquee onstart=ran()>",
    "<video><source onerror=ran()>",
    "${ran()}",
    "{{ran()}}",
    "{{constructor.constructor('ran()')()}}",
    "{% raw %}",
    "`${ran()}`",
    "\\u003cscript\\u003eran()",
    "&lt;script&gt;ran()",
    "%3Cscript%3Eran()",
    "__proto__",
    "constructor",
    "toString",
    "#group=1&doc=id-2",
    "*/ran()/*",
    "\\",
    "$&$1$`",
    "(?<![",
    "\u202e<b>\x00\x1e\ud83d\ud83d\ude00",
]


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture
def report(full, tmp_path):
    def write(n=N, k=K, **changes):
        path = tmp_path / "report.html"
        path.write_text(render(full(n, k, **changes)), encoding="utf-8")
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


def test_search_counts_hits_per_group_and_lists_them(browser, report):
    with Visit(browser, report()) as visit:
        visit.press("/")
        visit.page.keyboard.type("oven")
        visit.wait("outgroup.found?.total > 0")
        hits = visit.page.evaluate("[...outgroup.found.groups]")
        assert [group for group, _ in hits] == [1]  # the oven is in one topic alone
        assert visit.text(".entry.g1 .num") == str(hits[0][1])
        visit.press("Escape", "l")
        visit.wait("outgroup.place.dataset.view === 'list'")
        assert visit.text(".count") == f"{hits[0][1]} hits"
        visit.press("/", "Control+a")
        visit.page.keyboard.type('"ove')
        visit.wait("location.hash.includes('%22ove')")
        assert visit.page.evaluate("outgroup.found.total") >= hits[0][1]


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("tea", [0, 1, 2]),
        ("tea milk", [1]),
        ("tea AND milk", [1]),
        ("milk OR rails", [1, 3]),
        ("tea NOT milk", [0, 2]),
        ("NOT tea NOT nothing", [3]),
        ('tea OR rails NOT "green tea"', [0, 1, 3]),
    ],
)
def test_a_search_takes_and_or_and_not(browser, report, query, hits):
    texts = ["tea", "tea with milk", "green tea", "rails", *["nothing"] * (N - 4)]
    with Visit(browser, report(texts=texts), place=f"#view=list&q={quote(query)}") as visit:
        visit.wait("outgroup.found")
        assert visit.page.evaluate("[...outgroup.found.hits.keys()].filter((i) => outgroup.found.hits[i])") == hits
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
            visit.page.get_by_role("button", name="Download steering.toml").press("Enter")
        target = tmp_path / "steering.toml"
        download.value.save_as(target)
        found = read_decisions(target)
        assert found[:2] == (Label(first, 2), Label(second, ()))
        assert [type(each) for each in found[2:]] == [Label, Word, Word, Split, Rename, Merge]
        assert (found[3], found[4].words, found[6].name) == (Word(word), (other,), 'bread "and" ovens')
        assert visit.text('.entry[data-group="1"] bdi') == 'bread "and" ovens'
        assert "--steer steering.toml" in visit.text(".tray pre") or "outgroup cluster" in visit.text(".tray pre")
        assert visit.wrong == []


def test_with_many_groups_a_document_is_put_to_one_by_its_number_or_words_of_its_name(browser, report):
    with Visit(browser, report(n=150, k=25), place="#doc=id-3") as visit:
        visit.wait("outgroup.doc === 3")
        visit.press("2")
        labels = "[...document.querySelectorAll('dialog .options .label')].map((each) => parseInt(each.textContent))"
        assert visit.page.evaluate(labels)[:6] == [2, 20, 21, 22, 23, 24]
        visit.press("4", "Enter")
        visit.press("b")
        words = visit.page.evaluate("outgroup.store.name(17)").replace(",", "").split()
        visit.page.keyboard.type(" ".join(reversed(words)).upper())
        visit.press("Enter")
        assert [each["groups"] for each in visit.decisions()] == [[24], [17]]
        assert visit.wrong == []


def test_an_opened_document_shows_its_other_columns(browser, full, tmp_path):
    summary = full(N, K, fields={"month": [f"2024-{i % 9 + 1:02}" for i in range(N)]})
    others = {"month": [f"{month}-05" for month in summary.documents.fields["month"]], "who": ["", HOSTILE[0]] * 30}
    summary, path = replace(summary, documents=replace(summary.documents, others=others)), tmp_path / "report.html"
    path.write_text(render(summary), encoding="utf-8")
    with Visit(browser, path, place="#doc=id-3") as visit:
        visit.wait("outgroup.doc === 3")
        facts = """[...document.querySelectorAll(".facts dt")]
            .map((each) => [each.textContent, each.nextElementSibling.textContent])"""
        shown = visit.page.evaluate(facts)
        assert [value for name, value in shown if name in others] == ["2024-04-05", HOSTILE[0]]
        visit.page.locator(".facts a", has_text="2024-04-05").click()
        visit.wait("outgroup.found?.total > 1 && outgroup.route.value === '2024-04'")
        visit.page.evaluate("location.hash = '#doc=id-2'")
        visit.wait("outgroup.doc === 2")
        assert "who" not in [name for name, _ in visit.page.evaluate(facts)]
        assert visit.wrong == []
    path.write_text(render(summary, 0), encoding="utf-8")
    with Visit(browser, path) as visit:
        visit.wait("outgroup.store.length")
        assert "Of their columns month, who are not." in visit.text(".side")


def test_passages_of_an_opened_document_are_marked_in_the_colour_of_their_group(browser, full, tmp_path):
    texts = [f"Note {i}. {HOSTILE[1]} of the bread \U0001f600.  The train." for i in range(N)]
    text, end = texts[3], texts[3].index("  The")
    several = {3: SeveralGroups([(1, 0.6), (2, 0.4)], [(7, -1, 0.5), (end, 1, 0.9), (len(text), 2, 0.8)])}
    summary, path = full(N, K, texts=texts), tmp_path / "report.html"
    summary = replace(summary, documents=replace(summary.documents, several=several))
    path.write_text(render(summary), encoding="utf-8")
    with Visit(browser, path, place="#doc=id-3") as visit:
        visit.page.locator(".passage").first.wait_for()
        marks = """[...document.querySelectorAll(".passage")].map((each) =>
            [Number(each.dataset.of), each.classList.contains("g" + each.dataset.of), each.title.split(",").at(-1)])"""
        assert visit.page.evaluate(marks) == [[1, True, " 90\u00a0%"], [2, True, " 80\u00a0%"]]
        visit.page.evaluate("for (const each of document.querySelectorAll('.whose')) each.remove()")
        assert visit.page.locator("div.text").text_content() == text
        second = visit.page.locator(".passage").last
        assert second.text_content() == "The train."
        assert visit.page.locator(".reading .shares span").count() == 2
        visit.page.locator(".shared a").last.focus()
        assert "over" in second.get_attribute("class")
        assert violations(visit.page, ".reading") == []
        visit.page.evaluate("location.hash = '#doc=id-4'")
        visit.wait("outgroup.doc === 4 && document.querySelector('.reading h2').textContent === 'Note 4'")
        assert visit.page.locator(".passage, .reading .shares").count() == 0
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
        assert visit.text(".tray ol li").endswith(f"and {len(hits[:20]) - 1} more are a new group called <i>baking</i>")
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


PRESSED = ".sorts [aria-pressed=true]"


def test_hits_that_are_most_about_what_is_looked_for_come_first(browser, report):
    texts = ["bread. " + "Much else. " * 40, "bread " * 3 + "and butter", "bread and butter", *["nothing"] * (N - 3)]
    with Visit(browser, report(texts=texts), place="#view=list&q=bread") as visit:
        visit.wait("outgroup.found?.total === 3 && outgroup.list.rows.length === 3")
        assert visit.page.evaluate("outgroup.list.rows") == [1, 2, 0]
        assert visit.text(PRESSED) == "best match"
        visit.page.locator("[data-sort=typical]").click()
        visit.wait("location.hash.includes('sort=typical')")
        assert visit.text(PRESSED) == "typical"
        visit.page.evaluate("location.hash = '#view=list&sort=match'")
        visit.wait(f"outgroup.list.rows.length === {N}")
        assert visit.text(PRESSED) == "typical"
        assert not visit.page.locator("[data-sort=match]").is_visible()
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
        visit.page.get_by_role("button", name="Undo").click()
        assert visit.page.locator(".tray ol li").count() == 1
        visit.page.get_by_role("button", name="Redo").click()
        assert len(visit.decisions()) == 2


def test_the_map_leads_to_documents_and_groups_and_every_name_can_be_read(browser, report):
    with Visit(browser, report(400, 40)) as visit:
        at = visit.page.evaluate("""() => {
            const { map } = outgroup, i = 7, box = map.front.getBoundingClientRect();
            map.fly({ doc: i }); map.camera.zoom = 30; map.camera.bound(); map.draw();
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
                map.fly({ group: number });
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


BOXES = """() => {
    const { map } = outgroup;
    map.draw();
    return [map.regions.size, map.camera.width, map.camera.height, map.placed.map(({ box }) => box)];
}"""


@pytest.mark.parametrize("k", [20, 150])
def test_every_name_is_on_the_map_and_none_lies_over_another(browser, report, k):
    with Visit(browser, report(4 * k, k)) as visit:
        visit.wait("outgroup.map.placed.length > 0")
        groups, width, height, boxes = visit.page.evaluate(BOXES)
        assert len(boxes) == (groups if k <= 24 else 12)  # of many groups, the branches of the tree
        assert groups >= k
        for i, (left, top, right, bottom) in enumerate(boxes):
            assert 0 <= left < right <= width
            assert 0 <= top < bottom <= height
            assert not [b for b in boxes[:i] if left < b[2] and right > b[0] and top < b[3] and bottom > b[1]]
        assert visit.page.locator(".more-names").is_hidden()


CROSSED = """() => {
    const { placed } = outgroup.map,
        left = ([l, t, r, b], x, y) => (x - Math.max(l, Math.min(r, x))) ** 2 + (y - Math.max(t, Math.min(b, y))) ** 2;
    return placed.filter(({ line, from: [x, y], box: [l, t, r, b] }) => line && placed.some((other) => {
        const [u, v] = [Math.max(l, Math.min(r, x)), Math.max(t, Math.min(b, y))];
        const steps = Array.from({ length: 401 }, (_, i) => i / 400);
        return other.box[0] !== l && steps.some((s) => !left(other.box, x + s * (u - x), y + s * (v - y)));
    })).map(({ text }) => text);
}"""
"""The names with a line through another name."""


@pytest.mark.parametrize("width", [1400, 390])
def test_no_line_of_a_name_crosses_another_and_none_is_short_where_there_is_room(browser, report, width):
    with Visit(browser, report(600, 50), width) as visit:
        for zoom, least in ((1, 8), (1.7, 12)):  # branches, then groups
            visit.page.evaluate(f"outgroup.map.camera.by({zoom})")
            visit.wait(f"outgroup.map.still && outgroup.map.placed.length >= {least}")
            assert visit.page.evaluate(CROSSED) == []
    with Visit(browser, report()) as visit:
        visit.wait("outgroup.map.placed.length === 3")
        assert visit.page.evaluate(
            "outgroup.map.placed.every(({ number, text }) => text === outgroup.map.named.forms.get(number)[0])"
        )


def test_the_map_of_many_documents_shows_their_density_until_one_zooms_in(browser, report):
    with Visit(browser, report(30_000, 5)) as visit:
        drawn = """() => {
            const { map } = outgroup;
            map.draw();
            return [map.dense, new Uint32Array(map.image.data.buffer).some(Boolean)];
        }"""
        visit.wait("outgroup.map.image")
        assert visit.page.evaluate(drawn) == [True, True]
        visit.page.evaluate("outgroup.map.camera.by(5)")
        assert visit.page.evaluate(drawn) == [False, True]
        assert visit.wrong == []


def test_the_list_shows_a_further_column_and_sorts_by_it(browser, report):
    costs = ["10", "9", "", *[str(100 + i) for i in range(N - 3)]]
    with Visit(browser, report(fields={"cost": costs}), place="#view=list") as visit:
        visit.page.get_by_label("Column").select_option("cost")
        visit.wait("document.querySelectorAll('.virtual .column').length > 2")
        assert visit.page.locator(".virtual .column").all_inner_texts()[:3] == ["9", "10", "100"]
        assert visit.page.evaluate("outgroup.list.rows.at(-1)") == 2  # unknown
        visit.page.get_by_label("Column").select_option("")
        visit.wait("!document.querySelector('.virtual .column')")
        assert visit.wrong == []


def test_an_off_topic_document_is_taken_back_as_the_page_says(browser, report):
    out = np.arange(N) < 4
    with Visit(browser, report(off_topic=out, labels=np.where(out, -1, np.arange(N) % K))) as visit:
        visit.page.get_by_role("link", name="open it").click()
        visit.wait("outgroup.place.dataset.view === 'list' && outgroup.list.rows.length === 4")
        assert "To take one back, open it and press Is not junk y" in visit.text(".panel")
        visit.press("j")
        visit.wait("outgroup.doc >= 0")
        rival = visit.page.evaluate("outgroup.store.row(outgroup.doc).rival")
        visit.press("y")
        visit.wait("outgroup.store.decisions.length")
        assert [each["groups"] for each in visit.decisions()] == [[rival]]


def test_the_tree_folds_groups(browser, report):
    with Visit(browser, report(300, 40), place="#view=tree") as visit:
        assert visit.page.locator(".group-list > ol > li").count() <= 15  # all, twelve branches, off-topic
        visit.page.locator("#level").focus()
        visit.press("Home")
        visit.wait("document.querySelectorAll('.branches > li').length === 1")
        visit.press("?")
        assert "undo" in visit.text("dialog")
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
        dict.fromkeys(("modularity", "bits", "silhouette", "stability", "coherence", "cosine"), 0.0)
        | {"n_clusters": k, "stability": -k}
        for k in (2, 3, 5)
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


def test_the_first_screen_shows_all_of_the_map_and_the_trust_of_each_group(browser, report):
    told = trust(figures(0, "loose"), figures(1, "tight"), figures(2, "mixed", mixed_with=1))
    with Visit(browser, report(trust=told)) as visit:
        visit.page.set_viewport_size({"width": 1280, "height": 720})
        title, figure, map_ = (visit.page.locator(each).bounding_box() for each in ("h1", ".figures", ".map"))
        visit.page.set_viewport_size({"width": 1400, "height": 900})
        assert abs(title["y"] - figure["y"]) < 40  # one bar
        assert map_["y"] + map_["height"] <= 720
        assert map_["height"] > 500
        assert visit.page.locator(".entry .sign").all_inner_texts() == ["loose", "tight", "mixed"]
        visit.page.evaluate("location.hash = '#group=1'")
        visit.page.locator(".ranked").first.wait_for()
        assert not visit.page.locator(".panel .trust details[open]").count()
        shares = """[...document.querySelectorAll(".ranked li")].map((each) =>
            [each.title.split(" ")[1], parseFloat(each.querySelector(".meter span").style.width) / 100].map(Number))"""
        (most, _), *rest = visit.page.evaluate(shares)
        assert all(abs(width - (weight / most) ** 0.5) < 0.02 for weight, width in rest)


def test_titles_have_the_room_of_their_line(browser, report):
    with Visit(browser, report(titles=["A title of many words " * 2] * N), place="#view=list") as visit:
        cut = "[...document.querySelectorAll('.doc .title')].some((each) => each.scrollWidth > each.clientWidth)"
        assert not visit.page.evaluate(cut)
    with Visit(browser, report(titles=["A title of many words here"] * N), 390, place="#view=list") as visit:
        cut = "[...document.querySelectorAll('.doc .title')].some((each) => each.scrollHeight > each.clientHeight + 2)"
        assert not visit.page.evaluate(cut)


def test_a_line_around_documents_chooses_them_and_the_map_stays(browser, report):
    with Visit(browser, report()) as visit:
        visit.wait("outgroup.map.placed.length > 0")
        before = visit.page.locator(".map").bounding_box()
        x, y, width, height = (before[each] for each in ("x", "y", "width", "height"))
        visit.page.keyboard.down("Shift")
        visit.page.mouse.move(x + 5, y + 40)
        visit.page.mouse.down()
        for right, down in ((width - 5, 40), (width - 5, height - 5), (5, height - 5), (5, 40)):
            visit.page.mouse.move(x + right, y + down, steps=3)
        visit.page.mouse.up()
        visit.page.keyboard.up("Shift")
        visit.page.locator(".bulk", has_text="documents chosen").wait_for()
        assert visit.page.locator(".map").bounding_box() == before
        assert visit.wrong == []


def test_colours_of_a_column_are_those_of_dots_regions_and_lists(browser, report):
    with Visit(browser, report(fields={"kind": [f"kind {i % K}" for i in range(N)]}), place="#view=list") as visit:
        shown = """[...document.querySelectorAll(".virtual .spot, .entry[data-group='1'] .spot")]
            .map((each) => getComputedStyle(each).getPropertyValue("--c"))"""
        plain = visit.page.evaluate(shown)
        for by in ("kind", "sureness"):
            visit.page.get_by_label("Colour of the dots").select_option(by)
            visit.page.locator(".legend li").first.wait_for(state="attached")
            visit.wait("outgroup.colours")
            assert visit.page.evaluate(shown) != plain
        ramp = visit.page.evaluate("outgroup.colours.colours.map(([light]) => light)")
        assert visit.page.evaluate("outgroup.map.colour(1)") in ramp
        visit.page.get_by_label("Colour of the dots").select_option("group")
        visit.wait("!outgroup.colours")
        assert visit.page.evaluate(shown) == plain


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


def test_targets_are_large_enough_and_marks_are_seen_in_forced_colours(browser, report):
    with Visit(browser, report(), place="#view=list&group=1") as visit:
        tiny = """() => [...document.querySelectorAll("button, summary, select")]
            .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 24)
            .map((each) => each.outerHTML.slice(0, 90))"""
        assert visit.page.evaluate(tiny) == []
        visit.page.emulate_media(forced_colors="active")
        lines = "(each) => getComputedStyle(each).outlineStyle"
        assert visit.page.locator(".entry[aria-current=true]").evaluate(lines) == "solid"
        assert visit.page.locator(".entry:not([aria-current])").first.evaluate(lines) == "none"
        visit.page.emulate_media(forced_colors="none")


def test_only_the_words_with_the_largest_shares_are_marked(browser, report):
    with Visit(browser, report(), place="#doc=id-3") as visit:
        visit.page.locator(".reading mark").first.wait_for()
        reasons = """outgroup.store.document(3).then(({ reasons }) => reasons)"""
        reasons = visit.page.evaluate(reasons)
        large = {word for word, share in reasons if share >= reasons[0][1] / 4}
        marked = set(visit.page.locator(".reading mark").all_inner_texts())
        assert marked
        assert marked <= large


def test_filters_and_colours_by_a_column(browser, report):
    dates = [f"20{10 + i % 9}-01-01" for i in range(N)]
    with Visit(browser, report(fields={"date": dates})) as visit:
        visit.page.get_by_label("Colour of the dots").select_option("date")
        assert "2010-01-01" in visit.text(".legend")
        visit.page.get_by_label("Filter").select_option('["date","2012-01-01"]')
        visit.wait("outgroup.found?.total === 7")
        assert visit.wrong == []


def test_on_a_small_screen_fingers_meet_what_they_mean(browser, report):
    with Visit(browser, report(120, 12), 390) as visit:
        for place in ("", "view=list&q=oven", "doc=id-3", "group=1", "group=-1", "view=tree"):
            visit.page.evaluate(f"location.hash = '{place}'")
            visit.wait(f"location.hash.slice(1) === '{place}'")
            visit.page.evaluate("outgroup.follow()")
            visit.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
            assert small(visit.page) == []
        assert visit.page.locator(".drawn-tree a").count() == 12


def test_groups_are_coloured_filtered_and_sorted_by_trust_and_say_what_that_means(browser, report):
    groups = [figures(0, "loose", score=0.2), figures(1, "tight", score=0.5), figures(2, "mixed", mixed_with=1)]
    with Visit(browser, report(trust=trust(*groups))) as visit:
        unsure = visit.page.locator(".sentences li", has_text="The border is uncertain between 2")
        assert (
            unsure.get_by_role("link", name="read the least sure").get_attribute("href")
            == "#view=list&group=2&sort=uncertain"
        )
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
        assert (
            "<img src=x onerror=ran()>" in visit.page.content()
            or "&lt;img src=x onerror=ran()&gt;" in visit.page.content()
        )
        assert visit.page.locator("main img, main iframe, main svg[onload], main base, main object").count() == 0
        assert visit.wrong == []
        assert {url.split("#")[0] for url in visit.asked} == {path.as_uri()}


def test_print_is_short(browser, report, tmp_path):
    pypdf = pytest.importorskip("pypdf", reason="needs pypdf, of the extra io")
    texts = [
        f"A longer text about topic {i % 150}, " + "with some more words to fill the lines " * 8 for i in range(600)
    ]
    told = trust(*(figures(i, "mixed", nearest=0, mixed_with=0) for i in range(150)))
    with Visit(browser, report(600, 150, texts=texts, trust=told)) as visit:
        visit.page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert len(pypdf.PdfReader(tmp_path / "page.pdf").pages) <= 12


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, report, scheme):
    with Visit(browser, report(), place="#view=list&group=1", color_scheme=scheme) as visit:
        found = violations(visit.page)
        visit.page.evaluate("location.hash = '#view=tree&doc=id-3'")
        visit.wait("outgroup.doc === 3")
        assert found + violations(visit.page) == []
