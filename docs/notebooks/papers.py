# %% [markdown]
# # Papers: subjects, not methods
#
# 180 invented abstracts (`docs/notebooks/made.py`) on coral reefs, bridges, honey bees and glaciers,
# studied by networks, statistics or simulation. The aim is groups of subjects.
#
# ## 1. A first look

# %%
from made import papers, show

from outgroup import DocumentClustering, Vectorizer, decisions

abstracts = papers()
groups = DocumentClustering(n_clusters=4, random_state=0).fit(abstracts)
show(groups, abstracts)

# %% [markdown]
# ## 2. Find the cause
#
# The groups are methods: an abstract has more words about its method than about its subject.

# %%
print(abstracts[0]["text"])
print(groups.explain(abstracts[0]["text"]))

# %% [markdown]
# ## 3. Leave out frequent words
#
# A word of a method is in a third of all papers, a word of a subject in at most a quarter. `max_df` leaves out more
# frequent words.

# %%
groups = DocumentClustering(n_clusters=4, vectorizer=Vectorizer(max_df=0.3), random_state=0).fit(abstracts)
show(groups, abstracts)

# %% [markdown]
# ## 4. Or label words
#
# If the shares are less clear, label two words for each subject.

# %%
words = {"reefs": ["reef", "coral"], "bridges": ["bridge", "steel"], "bees": ["bee", "hive"], "ice": ["glacier", "ice"]}
groups = DocumentClustering(n_clusters=4, random_state=0).fit(abstracts, word_seeds=words)
show(groups, abstracts)

# %% [markdown]
# ## 5. Rename a group, assign a new paper
#
# The groups have the given names; renaming one moves nothing.

# %%
session = groups.session
first = session.begin()
second = session.fit([decisions.Rename("ice", "glaciers")], start=first)
print(sorted(second.names.values()), (second.labels == first.labels).all())
print(groups.explain("We simulate how meltwater moves below a glacier"))
