"""
Combine embeddings and words
============================

Embeddings know that different words mean the same, words know rare terms. With ``embeddings=``, groups are found in
both, and words still name and explain them.
"""

import matplotlib.pyplot as plt
import numpy as np

from outgroup import DocumentClustering, SphericalKMeans
from outgroup.demo import records
from outgroup.metrics import nmi

documents = [each for each in records("documents") if each["label"] != "off-topic"]
texts, y = [each["text"] for each in documents], [each["label"] for each in documents]

# %%
# Use the vectors of a sentence encoder where you have one. To run without a download, this page makes vectors up: a
# noisy direction for each topic.

rng = np.random.default_rng(0)
directions = dict(zip(sorted(set(y)), np.eye(5, 20), strict=True))
E = np.array([directions[label] for label in y]) + 0.4 * rng.standard_normal((len(y), 20))

found = {
    "vectors alone": SphericalKMeans(5, random_state=0).fit_predict(E),
    "words alone": DocumentClustering(5, random_state=0).fit(texts).labels_,
    "both": DocumentClustering(5, random_state=0).fit(texts, embeddings=E).labels_,
}
plt.bar(list(found), [nmi(y, labels) for labels in found.values()], color=["tab:grey", "tab:grey", "tab:blue"])
plt.ylabel("NMI with the five topics")
plt.show()

# %%
# Each document is averaged with its nearest ones, in vectors and words, before groups are found. Measured with a real
# encoder: :doc:`/docs/representations`.
