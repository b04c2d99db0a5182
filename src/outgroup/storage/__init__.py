"""Results, models and projects on disk: plain values without pickle, exchanged as a whole.

Begin with `atomic` (a folder or file that is there whole or not at all), `state` (a model as JSON and arrays),
`folders` (the work of a long run) and `project` (a session in SQLite). Files may be forged: `json_values` parses them,
and each reader checks every field.
"""
