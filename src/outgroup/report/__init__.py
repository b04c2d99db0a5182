"""The report: plain data in, one HTML file, a terminal's tables or `clusters.json` out. Knows no estimator.

`facts` has what the report takes and all that rendering sees; `summary` makes the one of the other. `document_view`
describes single documents, `words` and `tree` the groups, and `map` gives each document a place. `html` and `terminal`
show the facts, in the same `sentences`.
"""
