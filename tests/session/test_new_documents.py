"""What new documents speak of that the earlier ones hardly did is a note of the version that takes them in."""

import pytest

from outgroup.session import Past, Session

BREAD = [f"bread butter oven flour loaf{number % 5}" for number in range(40)]
TRAIN = [f"train rails town ticket seat{number % 5}" for number in range(40)]
SHIPS = [f"harbour ship sail ticket{number % 3}" for number in range(20)]


@pytest.fixture(scope="module")
def past():
    texts = BREAD + TRAIN
    version = Session(texts, n_clusters=2, encoder=None).fit()
    return Past.of(version, texts)


def begun(past, new, vectors=None):
    texts = BREAD + TRAIN + new
    session = Session.after(past, texts, ids=[str(number) for number in range(len(texts))], embeddings=vectors)
    return session.begin()


def test_a_theme_of_its_own_among_new_documents_is_told_with_where_it_went_and_what_to_do(past):
    version = begun(past, [f"{text} train" for text in SHIPS])
    train = version.groups["40"]
    assert {version.groups[str(number)] for number in range(80, 100)} == {train}
    risen, unknown = version.notes
    assert risen.startswith("20 new documents contain some words more often")
    assert f"ship (100 %, before 0 %; mostly in group {train})" in risen
    advice = f"split group {train} or start a group with some of these documents"
    assert risen.endswith(f"; if this is a new theme, {advice}")
    assert "ship" in unknown
    assert " are not in the vocabulary" in unknown


def test_a_theme_that_is_in_no_one_group_needs_a_group_that_some_of_them_begin(past):
    halves = [f"{text} {'train rails' if number % 2 else 'bread butter'}" for number, text in enumerate(SHIPS)]
    version = begun(past, halves)
    assert "ship (100 %, before 0 %; in several groups)" in version.notes[0]
    assert version.notes[0].endswith("; if this is a new theme, start a group with some of these documents")
