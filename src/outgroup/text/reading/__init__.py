"""Documents from files: folders and records, decoded and stripped, each in the corpus or skipped with a reason."""
