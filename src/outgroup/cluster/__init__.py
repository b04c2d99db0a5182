"""The estimators: groups by scikit-learn's interface, each a fit of a few lines over a problem of `solve`.

Begin with `max_margin`, `spherical`, `seeded` and `cpm3c`, which share `base` (checks, predictions, saved state) and
`off_topic` (what a Universum tells). `neighbour_average` averages rows before a fit, `profile` compares numbers of
groups, `trust` measures how far each group can be relied on, and `warm_start` goes on from an earlier partition.
"""
