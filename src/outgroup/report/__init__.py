"""The report: plain data in, one HTML file, a terminal's tables or `clusters.json` out. Knows no estimator.

`inputs` is what it is given, and `summary` makes of it the `facts`, all that rendering sees: `documents` and `groups`
tell of these, `map` gives each document a place, and `words` the words that set groups apart. `html` and `terminal`
show the facts, in the same `sentences`.
"""
