"""
Name groups by your own rule
============================

``namer=`` takes any function of briefs. Here a name is two words in capitals.
"""

import matplotlib.pyplot as plt

from outgroup import DocumentClustering
from outgroup.demo import records

documents = [each for each in records("documents") if each["label"] != "off-topic"]


def loudest(briefs):
    """Return the two heaviest words of each group, in capitals."""
    return [" + ".join(word for word, _ in brief.words[:2]).upper() for brief in briefs]


groups = DocumentClustering(5, namer=loudest, random_state=0).fit(documents)

# %%
# A brief holds the number, the automatic name, the size, words with weights and typical texts of a group, and the names
# of the other groups.

plt.barh(list(groups.topics["name"]), list(groups.topics["size"]))
plt.xlabel("documents")
plt.tight_layout()
plt.show()

# %%
# ``outgroup.naming.ChatNamer`` asks a chat model. Details: :doc:`/docs/take_away`.
