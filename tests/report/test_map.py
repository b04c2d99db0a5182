"""The map: nothing overlaps, nothing is lost, the surest in the middle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outgroup.report.map import SHOWN, draw


def drawn(scores, off_topic=None):
    labels = scores.argmax(axis=1)
    ordered = np.sort(scores, axis=1)
    margins = ordered[:, -1] - (ordered[:, -2] if scores.shape[1] > 1 else 0.0)
    out = np.zeros(len(scores), dtype=bool) if off_topic is None else off_topic
    return draw(scores, labels, margins, out, [""] * len(scores), [str(i) for i in range(len(scores))]), labels, margins


def normal(n, k, seed=0):
    return np.random.default_rng(seed).normal(size=(n, k)) + np.linspace(0, 1, k)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 150), st.integers(1, 12), st.integers(0, 99))
def test_every_document_has_its_own_place_in_its_own_disc_on_the_page(n, k, seed):
    page, labels, _ = drawn(normal(n, k, seed))
    places = np.array([(p.x, p.y) for disc in page.groups for p in disc.points])
    assert len(places) == page.shown == n
    assert (places >= 0).all()
    assert (places <= [page.width, page.height]).all()
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 1e9 * np.eye(n)
    assert apart.min() > 1.9 * page.dot  # touching at most
    for disc in page.groups:
        assert sorted(int(p.title) for p in disc.points) == np.flatnonzero(labels == disc.number).tolist()
        away = [np.hypot(p.x - disc.x, p.y - disc.y) for p in disc.points]
        assert max(away) <= disc.radius + 0.2


@pytest.mark.parametrize("k", [2, 8, 50])
def test_discs_do_not_overlap(k):
    page, _, _ = drawn(normal(1500, k))
    for i, a in enumerate(page.groups):
        for b in page.groups[:i]:
            assert np.hypot(a.x - b.x, a.y - b.y) > a.radius + b.radius


def test_the_surest_are_in_the_middle_and_the_off_topic_at_the_rim():
    scores = normal(400, 3)
    page, _, margins = drawn(scores, np.arange(400) % 20 == 0)
    for disc in page.groups:
        away = {int(p.title): np.hypot(p.x - disc.x, p.y - disc.y) for p in disc.points}
        inside = [i for i in away if i % 20]
        assert margins[min(inside, key=away.get)] == margins[inside].max()
        assert min((away[i] for i in away if i % 20 == 0), default=disc.radius) >= max(away[i] for i in inside) - 0.2


def test_a_borderline_document_lies_towards_its_rival():
    rng = np.random.default_rng(0)
    scores = np.array([[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]).repeat(80, axis=0)
    scores += 0.01 * rng.random(scores.shape)
    nearly = np.arange(10)
    scores[nearly, 1 + nearly % 2] += 2.9
    page, _, _ = drawn(scores)
    own, *rivals = page.groups
    points = {int(p.title): p for p in own.points}
    leaning = [rivals[i % 2] for i in nearly]
    others = [rivals[1 - i % 2] for i in nearly]

    def distance(i, disc):
        return np.hypot(points[i].x - disc.x, points[i].y - disc.y)

    closer = [distance(i, a) < distance(i, b) for i, a, b in zip(nearly, leaning, others, strict=True)]
    assert np.mean(closer) >= 0.8


def test_large_collections_are_sampled_evenly_and_no_group_is_lost():
    scores = normal(20_000, 5)
    scores[:, 4] = -10.0
    scores[7, 4] = 10.0
    page, labels, _ = drawn(scores)
    assert SHOWN - 10 <= page.shown <= SHOWN
    shares = np.array([len(disc.points) for disc in page.groups]) / page.shown
    np.testing.assert_allclose(shares, np.bincount(labels) / 20_000, atol=2e-3)
    assert [p.title for p in page.groups[4].points] == ["7"]
    assert page == drawn(scores)[0]


def test_groups_that_score_alike_lie_near_each_other():
    rng = np.random.default_rng(1)
    base = rng.normal(size=(300, 2))
    scores = np.column_stack([base[:, 0], base[:, 0] + 0.3 * rng.normal(size=300), base[:, 1], -base.sum(axis=1)])
    page, _, _ = drawn(scores)
    at = {disc.number: (disc.x, disc.y, disc.radius) for disc in page.groups}

    def gap(a, b):
        return np.hypot(at[a][0] - at[b][0], at[a][1] - at[b][1]) - at[a][2] - at[b][2]

    assert gap(0, 1) == pytest.approx(min(gap(a, b) for a in at for b in at if a < b), abs=3.0)
