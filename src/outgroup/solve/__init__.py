"""The algorithms: each is a sequence of folds over rows, and returns a solution with a certificate.

Maximum-margin clustering goes from `max_margin` (data and objective) to `cutting_plane`, which minimises
the `risks` by a `master` problem; `cpm3c` has constraints of its own. `spherical` is k-means by cosines, with
`local_search` and `refinement` in memory; `seeded` adds an opinion pool of seeds. `starts` makes the partition from
which a fit descends. `reject`, `threshold` and `off_topic` find off-topic documents. `labels` spreads labels over the
graph of neighbours, with `neighbour_votes`. An `ensemble` of quick fits measures the stability of groups and, with
`n_clusters`, what each number of them brings; `silhouettes` measure how near rows are to their groups.
"""
