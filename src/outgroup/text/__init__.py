"""A collection of texts as rows, and vectors beside them.

`texts` and `tables` take what a program holds. `tokenizer` takes words out of texts in the `languages` it knows,
`counts` counts them, `vocabulary` chooses columns, and `vectorizer` makes rows. `embeddings` are rows made by others;
`representation` has the two spaces, of groups and of words, and `collection` all that a fit begins with.
"""
