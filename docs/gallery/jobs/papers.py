"""
Papers: subjects, not methods
=============================

180 invented abstracts on coral reefs, bridges, honey bees and glaciers, studied by networks, statistics or simulation.
The aim is groups of subjects.
"""

from outgroup import DocumentClustering, Vectorizer, decisions
from outgroup.demo import records
from outgroup.metrics import accuracy

abstracts = records("papers")
y = [each["label"] for each in abstracts]
groups = DocumentClustering(4, encoder=None, random_state=0).fit(abstracts)
print(f"{accuracy(y, groups.labels_):.0%} of the abstracts are in the right group")
groups.topics

# %%
# Find the cause
# --------------
# The groups are methods: an abstract has more words about its method than about its subject.

print(abstracts[0]["text"])
groups.explain(abstracts[0]["text"])

# %%
# Leave out frequent words
# ------------------------
# A word of a method is in a third of all abstracts, a word of a subject in at most a quarter. ``max_df`` leaves out
# more frequent words.

groups = DocumentClustering(4, encoder=None, vectorizer=Vectorizer(max_df=0.3), random_state=0).fit(abstracts)
print(f"{accuracy(y, groups.labels_):.0%} of the abstracts are in the right group")
groups.topics

# %%
# Or label words
# --------------
# If the shares are less clear, label two words for each subject.

words = {"reefs": ["reef", "coral"], "bridges": ["bridge", "steel"], "bees": ["bee", "hive"], "ice": ["glacier", "ice"]}
groups = DocumentClustering(4, encoder=None, random_state=0).fit(abstracts, word_seeds=words)
print(f"{accuracy(y, groups.labels_):.0%} of the abstracts are in the right group")

# %%
# Rename a group, assign a new paper
# ----------------------------------
# Renaming a group moves nothing.

session = groups.session
first = session.begin()
second = session.fit([decisions.Rename("ice", "glaciers")], start=first)
print(sorted(second.names.values()), (second.labels == first.labels).all())
groups.explain("We simulate how meltwater moves below a glacier")
