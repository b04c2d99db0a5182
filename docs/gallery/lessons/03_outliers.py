"""
Find strange documents without examples
=======================================

The outlier score of a document is one minus its mean similarity to its ten nearest documents. It needs no examples.
"""

import matplotlib.pyplot as plt

from outgroup import DocumentClustering
from outgroup.demo import records

strange = [each["text"] for each in records("documents")[1:40:6]]
documents = [each["text"] for each in records("papers")] + strange
groups = DocumentClustering(4, random_state=0).fit(documents)
order = (-groups.outlier_score_).argsort()
for row in order[:7]:
    print(f"{groups.outlier_score_[row]:.2f}", documents[row][:60])

# %%
# Seven pieces of mail hide among abstracts of papers; one has no known word and no score. Strangers are found if they
# are scattered. Strangers that resemble each other are hard to find: each is a neighbour of the others.

colours = ["tab:red" if documents[row] in strange else "tab:grey" for row in order]
plt.bar(range(len(order)), groups.outlier_score_[order], width=1, color=colours)
plt.axhline(groups.outlier_threshold_, color="black", linewidth=1)
plt.xlabel("documents by score (red: strangers)")
plt.ylabel("outlier score")
plt.show()

# %%
# ``outliers="set aside"`` leaves such documents out of the groups. Details: :doc:`/docs/open_world`.
