"""
Choose the number of groups
===========================

``k_profile`` fits each number of groups on two halves of the collection and tests it on the other half. It returns a
short list of candidates instead of one answer.
"""

import matplotlib.pyplot as plt

from outgroup import Vectorizer, k_profile
from outgroup.demo import records

texts = [each["text"] for each in records("documents") if each["label"] != "off-topic"]
X = Vectorizer().fit_transform(texts)
profile = k_profile(X, (2, 15))
print("candidates:", profile.candidates, "chosen:", profile.chosen)

# %%
# Modularity measures whether nearest neighbours share a group, beyond chance, among documents that had no part in the
# fit. The collection has five topics.

ks = [point.n_clusters for point in profile.points]
plt.plot(ks, [point.modularity for point in profile.points], marker="o")
plt.axvline(profile.chosen, linestyle=":", color="grey")
plt.xlabel("number of groups")
plt.ylabel("modularity on held-out documents")
plt.show()

# %%
# ``DocumentClustering("auto")`` and ``-k auto`` take the chosen number. Details: :doc:`/docs/trust`.
