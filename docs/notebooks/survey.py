# %% [markdown]
# # Answers to a survey: a few words each
#
# 200 invented answers to "What should the library change?" (`docs/notebooks/made.py`). Few of them
# share a word, which makes short texts hard.
#
# ## 1. A first look

# %%
from made import show, survey

from outgroup import DocumentClustering, decisions

answers = survey()
groups = DocumentClustering(n_clusters=4, random_state=0).fit(answers)
show(groups, answers)

# %% [markdown]
# The groups mix themes: two answers on noise may have no word in common.
#
# ## 2. Label words
#
# The authors of the survey know its themes, and a few words for each. Label these words.

# %%
words = {
    "opening hours": ["open", "hours", "early"],
    "noise": ["quiet", "loud", "silent"],
    "books": ["novels", "books", "travel"],
    "computers": ["wifi", "printers", "sockets", "slow"],
}
groups = DocumentClustering(n_clusters=4, random_state=0).fit(answers, word_seeds=words)
show(groups, answers)

# %% [markdown]
# ## 3. Check uncertain documents
#
# The documents with the smallest margin are the most uncertain. They show which words are missing.

# %%
documents = groups.documents
order = sorted(range(len(answers)), key=lambda i: (documents["margin"][i], i))
seen = list(dict.fromkeys(answers[i]["text"] for i in order))
print("\n".join(seen[:6]))

# %% [markdown]
# ## 4. Add a few words

# %%
words["noise"] += ["noise", "noisy", "phones", "shout", "talk"]
words["computers"] += ["computers", "wireless", "scanner", "printing", "laptops"]
words["opening hours"] += ["late", "opening", "closed", "closes"]
groups = DocumentClustering(n_clusters=4, random_state=0).fit(answers, word_seeds=words)
show(groups, answers)

# %% [markdown]
# ## 5. Correct one answer
#
# Correct the rest one by one in a session: the answer and similar ones move; all others stay.

# %%
session = groups.session
before = session.begin()
names = [groups.names_[label] for label in groups.labels_]
wrong = next((each for each, name in zip(answers, names, strict=True) if name != each["label"]), answers[0])
after = session.fit([decisions.Belongs(wrong["id"], wrong["label"])], start=before)
print(f'"{wrong["text"]}" is about {wrong["label"]}')
print(after.compare(before))
