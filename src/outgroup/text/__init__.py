"""From a collection of texts to rows.

`texts` accepts texts in memory. `tokens` splits texts into words, once; `tokenizer` knows stems and scripts in the
known `languages`, `counts` counts the words, `vocabulary` selects columns, and `vectorizer` computes TF-IDF rows.
`embeddings` checks vectors of an encoder or of the user. `representation` aligns the two spaces, of groups and of
words. `collection` holds the input of a fit.
"""
