"""
Read the margin of a document
=============================

The margin is the distance between the best and the second-best group. Errors gather where it is small, so check these
documents first.
"""

import matplotlib.pyplot as plt
import numpy as np

from outgroup import DocumentClustering
from outgroup.demo import records

documents = [each for each in records("documents") if each["label"] != "off-topic"]
groups = DocumentClustering(5, random_state=0).fit(documents)
margin = np.asarray(groups.documents["margin"], dtype=float)
order = margin.argsort()
for row in order[:5]:
    print(f"{margin[row]:.3f}", documents[row]["title"])

# %%
# The class of a group is its most frequent label. The curve counts the errors found by someone who reads the documents
# in the order of their margins.

y = np.array([each["label"] for each in documents])
inside = [list(y[groups.labels_ == group]) for group in range(5)]
common = [max(set(labels), key=labels.count) for labels in inside]
errors = np.array([common[group] != label for group, label in zip(groups.labels_, y, strict=True)])
plt.plot(np.cumsum(errors[order]), label="smallest margin first")
plt.plot([0, len(y)], [0, errors.sum()], linestyle=":", color="grey", label="in random order")
plt.xlabel("documents read")
plt.ylabel("errors found")
plt.legend()
plt.show()
