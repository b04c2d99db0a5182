"""The desk: every decision is kept before it is answered, the groups follow, undo, redo and go back."""

import base64
import json
import zlib
from contextlib import suppress
from dataclasses import replace
from threading import Event
from time import perf_counter

import numpy as np
import pytest
from factories import KITCHEN, TRAINS

from outgroup.decisions import Label, Merge, NewGroup, Regroup, Rename
from outgroup.errors import CancelledError, InputError
from outgroup.session import Session
from outgroup.stopping import stop_if_asked
from outgroup.summary.findings import trust_of
from outgroup.summary.partition import Partition
from outgroup.workbench import views
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


def test_undo_and_redo(desk):
    first = desk.version.labels.tolist()
    group = first[7]
    decided(desk, Label("0", group))
    desk.undo()
    assert desk.wait(30)
    assert desk.version.labels.tolist() == first
    assert desk.can_redo
    desk.redo()
    assert desk.wait(30)
    assert desk.version.labels[0] == group
    assert not desk.can_redo


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


def test_nothing_to_undo_or_redo(desk):
    with pytest.raises(InputError, match="nothing to undo"):
        desk.undo()
    with pytest.raises(InputError, match="nothing to redo"):
        desk.redo()


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


def test_what_cannot_be_kept_is_not_decided(session):
    def full(decisions):
        raise OSError("no space left")

    with Desk(session, keep=full) as desk:
        assert desk.wait(30)
        with pytest.raises(OSError, match="no space"):
            desk.decide([Rename(0, "a")])
        assert desk.log == ()


def test_a_log_from_before_is_followed(session):
    with Desk(session, [Rename(1, "trains")]) as desk:
        assert desk.wait(30)
        assert dict(desk.version.names) == {1: "trains"}


def test_a_fit_that_fails_is_told_and_the_version_before_stands(desk, monkeypatch):
    heard, before = [], desk.version
    desk.listen(heard.append)
    monkeypatch.setattr(desk.session, "fit", lambda *_, **__: 1 / 0)
    desk.decide([Rename(0, "a")])
    assert desk.wait(30)
    assert {"kind": "error", "said": "division by zero"} in heard
    assert desk.version is before


def test_what_was_thrown_away_counts_for_the_share_of_the_junk_that_was_seen():
    """Documents that were thrown away take no part in the fit that follows, and have a score all the same."""
    rng = np.random.default_rng(0)
    words = ["bread butter knife oven flour", "train town station ticket rails", "free winner prize voucher click"]
    texts = [" ".join(rng.choice(words[row % 3].split(), 4)) for row in range(120)]
    session = Session(
        texts, n_clusters=2, universum=[texts[2], texts[5] + " now", "free prize winner", "click voucher"]
    )
    with Desk(session) as desk:
        assert desk.wait(60)
        view, labels = View(desk, "x"), desk.version.labels
        assert view.proposals(3)["junk_seen"] is None
        kept = [Label(str(row), max(0, int(labels[row]))) for row in range(0, 18, 3)]
        decided(desk, *[Label(str(row), ()) for row in range(8, 26, 3)], *kept)
        assert 0 < view.proposals(3)["junk_seen"] <= 1


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


def test_trust_that_was_found_is_not_found_twice(session, monkeypatch):
    """Who gives a name or takes something back has the same groups by the same model."""
    asked = []
    monkeypatch.setattr(views, "trust_of", lambda *given: asked.append(1) or trust_of(*given))
    with Desk(session) as desk:
        view = View(desk, "x")
        assert desk.wait(30, after=True)
        heard = []
        desk.listen(lambda event: heard.append(view.trust_follows))
        decided(desk, Rename(0, "a"))
        assert not any(heard)
        first = shown_trust(view)
        decided(desk, Label("0", int(desk.version.labels[7])))
        assert any(heard)
        heard.clear()
        desk.undo()
        assert desk.wait(30, after=True)
        assert not any(heard)
        assert shown_trust(view) == first
        assert len(asked) == 2
        assert view.measured(replace(desk.version, labels=desk.version.labels[::-1].copy()))["trust"] is None


def test_a_decision_ends_the_work_on_trust_and_nobody_who_waits_for_groups_waits_for_it(session, monkeypatch):
    begun, ended = Event(), []

    def long(*given):
        begun.set()
        until = perf_counter() + 30
        with suppress(CancelledError):
            while perf_counter() < until:
                stop_if_asked()
        ended.append(perf_counter())
        stop_if_asked()
        return trust_of(*given)

    with Desk(session) as desk:
        view = View(desk, "x")
        assert desk.wait(30, after=True)
        monkeypatch.setattr(views, "trust_of", long)
        desk.decide([Label("0", int(desk.version.labels[7]))])
        assert begun.wait(30)
        assert desk.wait(0)
        assert (desk.busy, view.trust_follows, view.measured(desk.version)["trust"]) == (False, True, None)
        assert not view.proposals(3)["looking"]
        asked = perf_counter()
        monkeypatch.setattr(views, "trust_of", trust_of)
        assert decided(desk, Label("1", int(desk.version.labels[7]))).number == 3
        assert [at - asked < 0.2 for at in ended] == [True]
        assert shown_trust(view)


def test_a_preview_counts_what_a_decision_moves_and_keeps_nothing(desk):
    before, (kept, other) = desk.version, desk.version.numbers
    found = desk.session.preview(before, Merge([kept, other]))
    assert sorted(found.rows) == np.flatnonzero(before.labels == other).tolist()
    assert set(found.groups) == {kept}
    assert desk.session.preview(before, Regroup()).note
    assert desk.session.preview(before, NewGroup(["0"], alone=True)).rows == ()
    assert (desk.version, desk.log) == (before, ())
    alone = decided(desk, NewGroup(["0"], alone=True))
    assert np.count_nonzero(alone.labels == alone.labels[0]) == 1
