"""A collection of texts as rows, and vectors beside them.

`as_texts` and `tables` take what a program holds, `reading` takes files, and `words` makes rows of texts.
`representation` has the two spaces, of groups and of words, and `collection` all that a fit begins with.
"""
