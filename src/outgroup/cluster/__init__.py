"""Estimators with scikit-learn's interface; each `fit` calls a solver of `solve`.

`max_margin`, `spherical`, `seeded` and `cpm3c` are the clusterers. They share `base` (checks, predictions, saved state)
and `off_topic` (the reject row and its threshold). `neighbour_average` averages rows before a fit, `profile` compares
numbers of groups, `trust` rates the reliability of each group, and `warm_start` continues from an earlier partition.
"""
