# %% [markdown]
# # Papers: subjects, not methods
#
# 180 abstracts, made up for this page (`docs/notebooks/made.py`): on coral reefs, bridges, honey bees and glaciers,
# studied by networks, statistics or simulation. We would like subjects.
#
# ## 1. A first look

# %%
from made import papers, show

from outgroup import DocumentClustering, Vectorizer, decisions

abstracts = papers()
groups = DocumentClustering(n_clusters=4, random_state=0).fit(abstracts)
show(groups, abstracts)

# %% [markdown]
# ## 2. What made these groups?
#
# Methods: an abstract spends more words on its method than on its subject.

# %%
print(abstracts[0]["text"])
print(groups.explain(abstracts[0]["text"]))

# %% [markdown]
# ## 3. Words that many papers share
#
# A method is in a third of all papers, a word of a subject in a quarter at most. `max_df` leaves out what more
# documents have.

# %%
groups = DocumentClustering(n_clusters=4, vectorizer=Vectorizer(max_df=0.3), random_state=0).fit(abstracts)
show(groups, abstracts)

# %% [markdown]
# ## 4. Or by the words that we know
#
# Where the shares are less clear, two words for each subject do the same.

# %%
words = {"reefs": ["reef", "coral"], "bridges": ["bridge", "steel"], "bees": ["bee", "hive"], "ice": ["glacier", "ice"]}
groups = DocumentClustering(n_clusters=4, random_state=0).fit(abstracts, word_seeds=words)
show(groups, abstracts)

# %% [markdown]
# ## 5. Names, and a paper of tomorrow
#
# The groups have the names that we gave; one is renamed, and nothing moves.

# %%
session = groups.session
first = session.begin()
second = session.fit([decisions.Rename("ice", "glaciers")], start=first)
print(sorted(second.names.values()), (second.labels == first.labels).all())
print(groups.explain("We simulate how meltwater moves below a glacier"))
