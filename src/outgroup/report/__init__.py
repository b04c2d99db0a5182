"""The report: from plain data to an HTML file, terminal tables or `clusters.json`; independent of estimators.

`facts` has what the report takes and all that rendering sees; `summary` makes the one of the other. `document_view`
describes single documents, `words` and `tree` the groups, and `map` gives each document a place. `html` and `terminal`
show the facts, in the same `sentences`.
"""
