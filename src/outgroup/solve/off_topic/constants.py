"""The numbers of the search for junk, each with its unit and the reason for its value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Constants:
    """Chosen by `python -m bench estimates` and `aside` (docs/decisions/0007, 0010 and 0030)."""

    own_pull: float = 3.75  # weight of an example times its squared length: how far it alone pushes its margin
    balance: float = 3.0  # Universum's weight / targets' weight: the targets hide some junk
    fewest: int = 10  # examples: fewer tell of some junk at most, and not how much would go with it
    mixture_from: int = 50  # examples: of 20 the estimated share was up to twice the true one
    folds: int = 8  # of rows and examples: with 4 up to a fiftieth of the junk is missed
    folds_of_many: int = 4  # where examples are many: each fit still has most of what it can learn
    many: int = 1000  # examples
    fold_rows: int = 4096  # targets that the fits of the folds learn from: more of them hardly change the scores
    placed_on: int = 4096  # rows, at least, whose held-out scores place the threshold: their noise is small beside its
    fold_gap: float = 1e-2  # relative gap of these fits: at .05 a hundredth of the junk is missed
    fold_gap_of_many: float = 5e-2  # where examples are many: such fits close slowly, and have enough to learn from
    neighbours_of: int = 1 << 15  # rows: finding neighbours takes time in proportion to the square
    cluster_sizes: tuple[int, ...] = (50, 25, 12)  # rows and examples in the mean: junk may come in many or in few
    prior: float = 0.5  # examples that a cluster of no size would hold, beside as many expected
    least: float = 0.02  # of what is expected: fewer examples in a cluster tell no more
    kinds: int = 10  # of junk, at most: in one row half of what neighbours tell is lost on vectors
    of_a_kind: int = 20  # examples in the mean, at least
    rather: float = 0.5  # probability of being junk: from there a row is no target
    surely: float = 0.8  # and from there, where out, it is an example of junk
    likely: float = 0.2  # least probability of being junk that goes out: one in the groups is worth four of them
    aim: float = 0.6  # of the rate: the on-topic documents among those that go out are up to 1.7 times the estimate
    careful: float = 1.28  # standard errors, nine cases of ten
    wide: float = 3.0  # interquartile ranges of the examples' scores beyond which a score says no more
    penalty: float = 1e-3  # on the weights of the evidence, which a clean separation would make infinite
    floor: float = 0.05  # of what reaches the examples in the median: less of it tells no more
    alike: float = 0.005  # of the on-topic documents: those that may be just like junk, beside what overlaps
    untold: float = 0.5  # of the on-topic documents that score as junk: those whose neighbours do not tell them apart
    most: float = 0.95  # largest share of junk that is considered
    draws: int = 40  # of the bootstrap of the share
    narrow: float = 0.2  # widest interval that is told as one figure
    telling: float = 0.6  # widest interval that is told at all


JUNK = Constants()
