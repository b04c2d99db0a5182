"""Read documents from files. Each document joins the corpus or is skipped with a reason.

`corpus` reads a collection, whole or in blocks, from `inputs`: a `folder`, an archive, or one file of records
(`tables`, `json_records`, `parquet`). `ranges` splits a large file for several processes. `fields` converts a record
to one of the `documents`. `source` opens bytes and `encoding` decodes them. `markup`, `mail` and `office` extract text
from pages, mails and office files. `dates` parses dates, `vectors` reads embeddings.
"""
