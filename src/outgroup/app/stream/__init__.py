"""Collections larger than memory: text to shards, folds over them, and a result in parts.

`choice` says whether a collection goes this way, and `cluster` is the job: `counting` makes counts of texts, `weighing`
rows of counts, and `outcome` the result, with `results` its tables. `kept` is what stays of each block, so that a run
can go on where it was killed. `workers` and `parts` do the same on a cluster, `assign` puts new documents into groups.
"""
