"""
Check calibrated probabilities
==============================

``predict_proba`` states how often fits on other samples of the collection put a document into the same group. A
probability of 0.8 should come true in 80 % of such fits.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment

from outgroup import DocumentClustering
from outgroup.demo import records

texts = [each["text"] for each in records("documents") if each["label"] != "off-topic"]
groups = DocumentClustering(5, random_state=0).fit(texts)
stated = groups.membership_.max(axis=1)
print("mean of the stated probabilities:", stated.mean().round(3))

# %%
# Ten new fits on random two thirds, with groups matched to the first ones:

rng, agreed = np.random.default_rng(1), []
for seed in range(10):
    some = rng.permutation(len(texts))[: 2 * len(texts) // 3]
    other = DocumentClustering(5, random_state=seed).fit([texts[i] for i in some]).predict(texts)
    table = np.zeros((5, 5))
    np.add.at(table, (other, groups.labels_), 1)
    agreed.append(linear_sum_assignment(table, maximize=True)[1][other] == groups.labels_)

share = np.mean(agreed, axis=0)
parts = np.array_split(stated.argsort(), 6)
plt.plot([0.3, 1], [0.3, 1], linestyle=":", color="grey")
plt.plot([stated[part].mean() for part in parts], [share[part].mean() for part in parts], marker="o")
plt.xlabel("stated probability")
plt.ylabel("share of new fits that agree")
plt.show()

# %%
# The probabilities measure agreement between fits, not with classes. Details: :doc:`/docs/take_away`.
