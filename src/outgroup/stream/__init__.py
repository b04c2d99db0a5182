"""Collections larger than memory: texts become shards, fits are folds over shards, results are written in parts.

`memory` decides whether to stream, and `job` runs the stream and gives its rows to a session: `counting` counts terms,
`tfidf` converts counts to TF-IDF rows, and `results` writes the tables. `workers` distributes these steps over a
cluster; `new_documents` assigns new documents.
"""
