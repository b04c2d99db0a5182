"""
Draw the tree of the groups
===========================

Many small groups merge into few large ones along ``tree_``, a linkage matrix of SciPy.
"""

import matplotlib.pyplot as plt
from scipy.cluster.hierarchy import dendrogram

from outgroup import DocumentClustering
from outgroup.demo import records

texts = [each["text"] for each in records("documents") if each["label"] != "off-topic"]
groups = DocumentClustering(12, random_state=0).fit(texts)
names = dict(zip(groups.topics["group"], groups.topics["name"], strict=True))
dendrogram(groups.tree_, labels=[names[number] for number in groups.numbers_], orientation="left")
plt.xlabel("loss of a merge")
plt.tight_layout()
plt.show()

# %%
# ``levels`` cuts the tree at several numbers of groups, without a new fit.

for count, labels in zip((12, 5, 2), groups.levels((12, 5, 2)), strict=True):
    print(count, "groups:", sorted((labels == label).sum().item() for label in set(labels.tolist())))
