"""The summary of a version as plain records: all that report, workbench, notebook, tables and terminal show.

Begin with `summarise`, which turns a version into the `records`. `partition` has the documents and groups of a version
as arrays, `names` calls the groups, `findings` measures trust, pockets and the effect of seeds. `words`, `tree` and
`map` describe the groups, and `sentences` says it in words.
"""
