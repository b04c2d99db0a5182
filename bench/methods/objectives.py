"""The product's maximum-margin objectives, made of the estimators' own parameters."""

from __future__ import annotations

from typing import Any

from outgroup import CPM3C, MaxMarginClustering
from outgroup.rows import as_rows
from outgroup.solve.cpm3c import CuttingPlaneObjective
from outgroup.solve.max_margin import Data, MarginObjective, checked_balance


def margin_objective(X: Any, universum: Any, k: int, **options: Any) -> MarginObjective:
    """Return the objective of `MaxMarginClustering(k, **options).fit(X, universum=universum)`."""
    model = MaxMarginClustering(k, **options)
    data = Data(as_rows(X), None if universum is None else as_rows(universum), center=model.center)
    return MarginObjective(
        data, k, model.C, model.C_universum, model.epsilon,
        class_weight=model.class_weight, balance=checked_balance(data.original, model.balance, center=model.center),
        tol=model.tol, gap=model.gap, max_iter=model.max_iter,
    )  # fmt: skip


def cutting_plane_objective(X: Any, k: int, **options: Any) -> CuttingPlaneObjective:
    """Return the objective of `CPM3C(k, **options).fit(X)`."""
    model = CPM3C(k, **options)
    data = Data(as_rows(X), center=model.center)
    balance = checked_balance(data.original, model.balance, center=model.center)
    return CuttingPlaneObjective(
        data, k, model.C, model.epsilon, balance=balance, tol=model.tol,
        max_cuts=model.max_cuts, class_weight=model.class_weight,
    )  # fmt: skip
