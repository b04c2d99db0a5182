"""The estimators: groups by scikit-learn's interface, each a fit of a few lines over a problem of `solve`.

Begin with `max_margin`, `spherical`, `seeded` and `cpm3c`; `neighbours` averages rows before, `profile` says how many
groups, and `trust` how far each of them can be relied on. `warm_start` continues from given groups.
What they share: `_base` (checks, saved state), `_scores` (predictions), `off_topic` (what a Universum tells), `_seeds`
and `_numbers` (labels). A module with an underscore is imported within this package alone.
"""
