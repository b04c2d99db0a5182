"""The desk: every decision is kept before it is answered, the groups follow, undo, redo and go back."""

import base64
import json
import zlib
from threading import Event

import pytest
from factories import KITCHEN, TRAINS

from outgroup.decisions import Label, Rename
from outgroup.errors import InputError
from outgroup.session import Session
from outgroup.summary.findings import trust_of
from outgroup.summary.partition import Partition
from outgroup.workbench.controller import Desk
from outgroup.workbench.views import View


@pytest.fixture
def session():
    return Session(KITCHEN + TRAINS, n_clusters=2)


@pytest.fixture
def desk(session):
    with Desk(session) as desk:
        assert desk.wait(30)
        yield desk


def decided(desk, *decisions):
    desk.decide(decisions)
    assert desk.wait(30, after=True)
    return desk.version


def test_a_first_look_is_shown_until_the_groups_stand_and_nothing_is_decided_about_it(session):
    seen, go = [], Event()

    def look():
        version = session.sketch()
        seen.append(version)
        return version

    def refused(event):
        if event["kind"] == "version" and desk.sketch is not None:
            seen.extend([desk.version, desk.busy])
            with pytest.raises(InputError, match="decisions are not possible"):
                desk.decide([Rename(0, "first")])
            go.set()

    starts = Event()
    with Desk(session, sketch=lambda: starts.wait(30) and look()) as desk:
        desk.listen(refused)
        starts.set()
        assert desk.wait(30)
        assert go.is_set()
        assert seen[0] is seen[1]
        assert seen[2]
        assert [each.number for each in desk.versions] == [1]
        assert desk.version is not seen[0]
        assert (desk.sketch, desk.log) == (None, ())
        assert decided(desk, Rename(0, "first")).number == 2


def test_a_decision_is_undone_at_its_place_and_comes_back_there(desk):
    a, b, c = Rename(0, "a"), Rename(1, "b"), Rename(1, "c")
    decided(desk, a, b, c)
    desk.undo(0)
    desk.undo(-1)
    assert desk.log == (b,)
    with pytest.raises(InputError, match="no decision 3"):
        desk.undo(3)
    with pytest.raises(InputError, match="changed in the meantime"):
        desk.undo(0, a)
    assert desk.log == (b,)
    desk.redo()
    assert desk.log == (b, c)
    desk.redo()
    assert desk.log == (a, b, c)
    assert not desk.can_redo
    assert desk.wait(30)
    assert dict(desk.version.names) == {0: "a", 1: "c"}


def test_going_back_and_branching(desk):
    decided(desk, Rename(0, "a"))
    decided(desk, Rename(1, "b"))
    desk.go_to(2)
    assert desk.wait(30)
    assert dict(desk.version.names) == {0: "a"}
    assert desk.log == (Rename(0, "a"),)
    decided(desk, Rename(1, "c"))
    assert dict(desk.version.names) == {0: "a", 1: "c"}
    desk.go_to(3)
    assert desk.wait(30)
    assert dict(desk.version.names) == {0: "a", 1: "b"}
    with pytest.raises(InputError, match="no version 99"):
        desk.go_to(99)


def test_what_is_decided_is_kept_before_anybody_hears_of_it(session):
    kept, heard = [], []
    with Desk(session, keep=kept.append) as desk:
        desk.listen(lambda event: heard.append((event["kind"], len(kept))))
        decided(desk, Rename(0, "a"))
        desk.undo()
        assert desk.wait(30)
    assert ("decided", 1) in heard
    assert ("decided", 2) in heard
    assert kept == [(Rename(0, "a"),), ()]


def test_a_fit_that_fails_is_told_and_the_version_before_stands(desk, monkeypatch):
    heard, before = [], desk.version
    desk.listen(heard.append)
    monkeypatch.setattr(desk.session, "fit", lambda *_, **__: 1 / 0)
    desk.decide([Rename(0, "a")])
    assert desk.wait(30)
    assert {"kind": "error", "sentence": "division by zero"} in heard
    assert desk.version is before
    monkeypatch.undo()
    assert dict(decided(desk, Rename(1, "b")).names) == {0: "a", 1: "b"}


def test_a_newer_decision_stops_the_fit_before_it(desk, monkeypatch):
    fit, begun = desk.session.fit, Event()

    def held(log, *, cancel, **given):
        if not begun.is_set():
            begun.set()
            while not cancel():
                Event().wait(0.001)
        return fit(log, **given)

    monkeypatch.setattr(desk.session, "fit", held)
    desk.decide([Rename(0, "a")])
    assert begun.wait(5)
    assert desk.busy
    assert dict(decided(desk, Rename(1, "b")).names) == {0: "a", 1: "b"}
    assert [len(each.decisions) for each in desk.versions] == [0, 2]


def shown_trust(view):
    """How far the groups that a page is shown can be trusted: the word of each, by number."""
    groups = unpacked(view.parts()["summary"])["groups"] if view.parts() else []
    return {each["number"]: (each["trust"], each["figures"]["size"]) for each in groups if each["figures"]}


def unpacked(part):
    return json.loads(zlib.decompress(base64.b64decode(part)))


def test_trust_follows_the_groups_and_is_of_those_that_are_shown(session):
    with Desk(session) as desk:
        heard = []
        view = View(desk, "x")
        desk.listen(lambda event: heard.append((event["kind"], view.trust_follows, bool(shown_trust(view)))))
        assert desk.wait(30, after=True)
        assert not view.trust_follows
        assert shown_trust(view)[0][1] == int((desk.version.labels == 0).sum())
        heard.clear()
        version = decided(desk, Label("0", int(desk.version.labels[7])))
        assert ("version", True, False) in heard
        assert ("rested", False, True) in heard
        expected = trust_of(Partition.of(version)).to_dict()
        assert view.measured(version)["trust"] == expected
        assert {number: size for number, (_, size) in shown_trust(view).items()} == {
            each["number"]: each["size"] for each in expected["groups"]
        }
        assert unpacked(view.parts()["summary"])["trust"]["fits"] == 20
