"""Collections larger than memory: text to shards, folds over them, and a result in parts.

`memory` decides whether a collection goes this way, and `job` does it: `counting` makes counts of texts, `weighing`
rows of counts, and `results` the tables. `workers` does the same on a cluster; `new_documents` assigns later documents.
"""
