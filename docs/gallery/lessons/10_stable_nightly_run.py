"""
Keep groups stable from night to night
======================================

A new fit of a grown collection gives new numbers and names. ``Session.after`` continues the groups of the last run: old
documents stay, and numbers and names keep their meaning.
"""

from itertools import pairwise

import matplotlib.pyplot as plt

from outgroup import DocumentClustering
from outgroup.demo import records
from outgroup.session import Past, Session

documents = [each for each in records("documents") if each["label"] != "off-topic"]
texts, ids = [each["text"] for each in documents], [each["id"] for each in documents]
nights = [150, 175, 200, 225, 252]

continued = [Session(texts[:150], n_clusters=5, ids=ids[:150], random_state=0).fit()]
for yesterday, today in pairwise(nights):
    past = Past.of(continued[-1], texts[:yesterday])
    continued.append(Session.after(past, texts[:today], ids=ids[:today]).begin())
anew = [DocumentClustering(5, random_state=0).fit(texts[:n]).labels_ for n in nights]

# %%
# The share of yesterday's documents that have the same group number today:


def same(runs):
    """Return the share of documents that keep their number, night after night."""
    return [(old == new[: len(old)]).mean() for old, new in pairwise(runs)]


plt.plot(same([version.labels for version in continued]), marker="o", label="continued")
plt.plot(same(anew), marker="s", label="fitted anew")
plt.xticks(range(4), [f"{n} documents" for n in nights[1:]])
plt.ylabel("same number as yesterday")
plt.legend()
plt.show()

# %%
# On the command line: ``outgroup cluster ALL --from RESULT``. Details: :doc:`/docs/session`.
