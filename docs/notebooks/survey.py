# %% [markdown]
# # Answers to a survey: a few words each
#
# 200 answers to "What should the library change?", made up for this page (`docs/notebooks/made.py`). Few of them
# share a word, which is what makes short texts hard.
#
# ## 1. A first look

# %%
from made import show, survey

from outgroup import DocumentClustering, decisions

answers = survey()
groups = DocumentClustering(n_clusters=4, random_state=0).fit(answers)
show(groups, answers)

# %% [markdown]
# The groups mix themes: two answers on noise need not have a word in common.
#
# ## 2. What we know already
#
# Whoever made the survey can name themes, and a few words for each. That is all that is needed: labelled words.

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
# ## 3. Where is it unsure?
#
# The documents with the smallest margin could as well be elsewhere. They show which words were forgotten.

# %%
documents = groups.documents
order = sorted(range(len(answers)), key=lambda i: (documents["margin"][i], i))
seen = list(dict.fromkeys(answers[i]["text"] for i in order))
print("\n".join(seen[:6]))

# %% [markdown]
# ## 4. A few words more

# %%
words["noise"] += ["noise", "noisy", "phones", "shout", "talk"]
words["computers"] += ["computers", "wireless", "scanner", "printing", "laptops"]
words["opening hours"] += ["late", "opening", "closed", "closes"]
groups = DocumentClustering(n_clusters=4, random_state=0).fit(answers, word_seeds=words)
show(groups, answers)

# %% [markdown]
# ## 5. One answer put right
#
# The rest is said of single answers. A session follows: the answer moves, and what reads like it; nothing else does.

# %%
session = groups.session
before = session.begin()
names = [groups.names_[label] for label in groups.labels_]
wrong = next((each for each, name in zip(answers, names, strict=True) if name != each["label"]), answers[0])
after = session.fit([decisions.Belongs(wrong["id"], wrong["label"])], start=before)
print(f'"{wrong["text"]}" is about {wrong["label"]}')
print(after.compare(before))
