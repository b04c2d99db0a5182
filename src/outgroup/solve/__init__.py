"""The mathematics: every algorithm is a sequence of folds over rows, and returns its solution with a certificate.

Maximum-margin clustering goes from `data` (what it is about) and `margin` (its objective) over `cccp` to
`cutting_plane`, which minimises the `risks` by a `master` problem; `cpm3c` does so with `constraints` of its own.
`spherical` is k-means by cosines, `seeded` the same with an opinion pool of seeds. `starts` begin fits, and `best`
keeps the best of several. `in_memory` is what needs the whole matrix.
"""
