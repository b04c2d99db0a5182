"""Groups that new documents suggest: proposed until a decision accepts or rejects them, also in files."""

import json

import pytest
from factories import SUBJECTS, about

from outgroup.decisions import Merge, NewGroup, NotAGroup
from outgroup.session import Past, Session

OLD = about("kitchen", 60, 0) + about("trains", 60, 1)
NEW = about("ships", 12, 2) + about("kitchen", 8, 3)
SHIPS = {f"n{number}" for number in range(12)}


def opened(past, more=NEW):
    every = OLD + list(more)
    ids = [f"d{number}" for number in range(len(OLD))] + [f"n{number}" for number in range(len(more))]
    return Session.after(past, every, ids=ids), every


@pytest.fixture(scope="module")
def past():
    session = Session(OLD, n_clusters=2, ids=[f"d{number}" for number in range(len(OLD))])
    return Past.of(session.fit(), OLD)


@pytest.fixture(scope="module")
def begun(past):
    session, _ = opened(past)
    return session, session.begin()


def saved(version, every):
    """Return the version as it comes back from a file."""
    return Past.from_dict(json.loads(json.dumps(Past.of(version, every).to_dict())), version.model)


def test_new_documents_that_are_alike_are_proposed_with_their_words(begun):
    (found,) = begun[1].proposed
    assert len(found.documents) >= 10
    assert set(found.documents) <= SHIPS
    assert set(found.words) <= set(SUBJECTS["ships"].split())
    assert found.decision == NewGroup(found.documents, found.name)


def test_an_accepted_group_keeps_its_number_in_later_results(begun):
    session, first = begun
    (found,) = first.proposed
    version = session.fit([found.decision], start=first)
    assert version.proposed == ()
    assert {version.groups[each] for each in found.documents} == {2}
    more = [*NEW, *about("ships", 9, 7)]
    again, every = opened(saved(version, OLD + NEW), more)
    next_night = again.begin()
    assert next_night.proposed == ()
    assert next_night.names[2] == found.name
    assert {next_night.groups[each] for each in found.documents} == {2}
    merged = again.fit([*next_night.decisions, Merge((0, 1))], start=next_night)
    assert saved(merged, every).names[2] == found.name


def test_a_rejected_group_moves_nothing_and_is_remembered(begun):
    session, first = begun
    (found,) = first.proposed
    version = session.fit([NotAGroup(found.documents)], start=first)
    assert version.proposed == ()
    assert (version.labels == first.labels).all()
    assert version.model is not None
    assert version.receipt(NotAGroup(found.documents)).honoured
    assert opened(saved(version, OLD + NEW))[0].begin().proposed == ()
    assert session.fit([], start=version).proposed == (found,)


def test_a_project_remembers_proposals_and_their_rejection(begun, tmp_path):
    session, first = begun
    (found,) = first.proposed
    session.save(tmp_path / "work.outgroup", first, embed_texts=True)
    with Session.open(tmp_path / "work.outgroup") as again:
        assert again.version.proposed == (found,)
        again.replace_log([*again.log, NotAGroup(found.documents)])
        again.keep(again.fit(again.log, start=again.version))
    with Session.open(tmp_path / "work.outgroup") as later:
        assert later.version.proposed == ()
        assert later.log == (NotAGroup(found.documents),)
