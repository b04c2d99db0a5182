"""
Keep rows in a place of your own
================================

Every clusterer reads its data through six verbs. This class counts how often each verb is called and hands the work to
rows in memory; a class for a database or a device has the same shape.
"""

from collections import Counter

import matplotlib.pyplot as plt

from outgroup import SphericalKMeans, Vectorizer
from outgroup.demo import records
from outgroup.rows import as_rows


class CountedRows:
    """Rows that count their verbs; without a local matrix, as rows on another machine."""

    def __init__(self, X):
        self.rows, self.calls = as_rows(X), Counter()
        self.shape, self.dtype = self.rows.shape, self.rows.dtype

    def __getattr__(self, verb):
        self.calls[verb] += 1
        return getattr(self.rows, verb)

    def local(self):
        self.calls["local"] += 1


rows = CountedRows(Vectorizer().fit_transform([each["text"] for each in records("documents")]))
SphericalKMeans(6, random_state=0).fit(rows)

# %%
# ``fold`` and ``map`` carry the fit: one pass over all rows each.

names = ["fold", "map", "take", "correlate", "squares", "local"]
plt.bar(names, [rows.calls[name] for name in names])
plt.ylabel("calls in one fit")
plt.show()

# %%
# The rules that a real back end must keep, and tests that check them: :doc:`/docs/add_a_backend`.
