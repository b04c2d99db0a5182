"""
Escape a poor local optimum
===========================

Batch k-means stops where no document is nearer to another centre. First variation also counts what a move changes in
both centres, and so leaves such points (:doc:`/docs/first_variation`).
"""

import matplotlib.pyplot as plt

from outgroup import SphericalKMeans, Vectorizer
from outgroup.demo import records

texts = [each["text"] for each in records("documents")[:60]]
X = Vectorizer().fit_transform(texts)
found = {}
for name, search in {"batch steps": None, "first variation": "first-variation", "chains": "chains"}.items():
    fits = [SphericalKMeans(5, init="random", local_search=search, random_state=seed).fit(X) for seed in range(30)]
    found[name] = [fit.objective_ for fit in fits]
    print(f"{name}: best {max(found[name]):.3f}, worst {min(found[name]):.3f}")

# %%
# Q is the sum of the coherences of all groups; more is better. Each box holds 30 random starts on 60 documents. The
# smaller the groups, the more often batch steps get stuck.

plt.boxplot(list(found.values()), tick_labels=list(found))
plt.ylabel("Q after the search")
plt.show()
