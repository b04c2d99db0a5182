"""The command line: settings, jobs from files to files, and what a person sees of them.

`cli` is the entry point, and `settings` what each command can be told. Each command has a module that does its
work: `jobs` (cluster), `assign`, `replay`, `demo`, `workbench`. `from_result` and `from_project` go on from what there
is, and `stream` is the way of what does not fit in memory. `inputs` reads, `result` and `assignments` write.
"""
