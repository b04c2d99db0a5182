"""A collection in files, for documents larger than memory: each part of the input is read, counted and weighed once.

`parts` makes and stores the parts in processes of this machine or on the workers of a cluster, and `stored` is the
whole: its rows are memory-mapped, and its documents are read part by part.
"""
