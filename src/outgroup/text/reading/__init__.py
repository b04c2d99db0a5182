"""Documents from files: folders and records, decoded and stripped, each in the corpus or skipped with a reason.

`corpus` reads a whole collection and `blocks` a block of it at a time, both from `inputs`: a folder, an archive, or a
file that `records` hands to the reader of its kind (`tables`, `json_records`, `parquet`, `sheets`). `fields` makes a
document of a record. `source` opens bytes, `decode` and `lines` make text of them; `markup`, `mail` and `office` take
the text out of pages, mails and office files. `gather` counts what was read, and `reasons` says why something was not.
"""
