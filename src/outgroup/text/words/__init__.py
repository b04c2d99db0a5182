"""From texts to weighted words: taken out, stemmed, counted, chosen, weighted.

`vectorize` has the estimator, `streamed` the same for texts that come in blocks. On their way: `analyze` cuts and stems
(by the `languages`, and `segment` for scripts without blanks), `phrases` finds pairs, `count` counts, `select` chooses
columns, and `weighting` weighs them.
"""
