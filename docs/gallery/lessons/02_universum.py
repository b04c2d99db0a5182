"""
Set off-topic documents aside
=============================

A Universum is a set of documents that belong to no group. Documents like them are set aside.
"""

import matplotlib.pyplot as plt

from outgroup import DocumentClustering
from outgroup.demo import records

documents, examples = records("documents"), records("off_topic")
without = DocumentClustering(5, random_state=0).fit(documents)
groups = DocumentClustering(5, random_state=0).fit(documents, universum=examples)
print("without examples:", *sorted(without.topics["name"]), sep="\n  ")
print("with examples:", *sorted(groups.topics["name"]), sep="\n  ")

# %%
# Without examples, automatic replies fill a group of their own, and two topics share another one. With 62 examples, all
# five topics have a group. A positive score sets a document aside; the labels only colour the picture.

scores = groups.off_topic_score([each["text"] for each in documents])
junk = [each["label"] == "off-topic" for each in documents]
bins = [step / 10 - 1.2 for step in range(26)]
plt.hist([s for s, j in zip(scores, junk, strict=True) if not j], bins, alpha=0.7, label="of the five topics")
plt.hist([s for s, j in zip(scores, junk, strict=True) if j], bins, alpha=0.7, label="off-topic")
plt.axvline(0, color="black", linewidth=1)
plt.xlabel("off-topic score")
plt.ylabel("documents")
plt.legend()
plt.show()

# %%
# Details, and where it fails: :doc:`/docs/off_topic`.
