"""Documents from files: folders and records, decoded and stripped, each in the corpus or skipped with a reason.

`corpus` reads a whole collection or blocks of it from `inputs`: a `folder`, an `archive`, or one file of records
(`sheets`, `json_records`, `parquet`), which `ranges` cuts for several processes. `fields` makes one of the `documents`
of a record. `source` opens bytes, and `encoding` makes text of them; `markup`, `mail` and `office` take the text out of
pages, mails and office files. `dates` and `vectors` read what stands beside texts.
"""
