"""Results, models and projects on disk: plain values, no pickle, written atomically.

Begin with `atomic` (a folder or file that is complete or absent), `state` (a model as JSON and arrays), `folders` (the
work of a long run) and `lines` (the file of a session). Files may be forged: `json_values` parses them and checks the
types of their fields.
"""
