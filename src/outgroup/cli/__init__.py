"""The command line: settings, commands, and their output.

`main` is the entry point; `options` and `settings` define what each command takes. Each command has a module that does
its work: `cluster` (and the demo), `assign`, `watch`, `workbench`. `material` is what a job reads; `result`
and `assignments` are what it writes; `output` prints messages and progress.
"""
