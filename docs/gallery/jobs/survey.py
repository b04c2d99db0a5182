"""
Answers to a survey: a few words each
=====================================

200 invented answers to "What should the library change?" Few of them share a word, which makes short texts hard.
"""

from outgroup import DocumentClustering
from outgroup.decisions import Label
from outgroup.demo import records
from outgroup.metrics import accuracy

answers = records("survey")
y = [each["label"] for each in answers]
groups = DocumentClustering(4, encoder=None, random_state=0).fit(answers)
print(f"{accuracy(y, groups.labels_):.0%} of the answers are in the right group")
groups.topics

# %%
# Label words
# -----------
# The groups mix themes: two answers on noise may have no word in common. The authors of the survey know its themes, and
# a few words for each.

words = {
    "opening hours": ["open", "hours", "early"],
    "noise": ["quiet", "loud", "silent"],
    "books": ["novels", "books", "travel"],
    "computers": ["wifi", "printers", "sockets", "slow"],
}
groups = DocumentClustering(4, encoder=None, random_state=0).fit(answers, word_seeds=words)
print(f"{accuracy(y, groups.labels_):.0%} of the answers are in the right group")

# %%
# Check uncertain documents
# -------------------------
# The documents with the smallest margin are the most uncertain. They show which words are missing.

margins = groups.documents["margin"]
order = sorted(range(len(answers)), key=lambda i: (margins[i], i))
print(*list(dict.fromkeys(answers[i]["text"] for i in order))[:6], sep="\n")

# %%
# Add a few words
# ---------------

words["noise"] += ["noise", "noisy", "phones", "shout", "talk"]
words["computers"] += ["computers", "wireless", "scanner", "printing", "laptops"]
words["opening hours"] += ["late", "opening", "closed", "closes"]
groups = DocumentClustering(4, encoder=None, random_state=0).fit(answers, word_seeds=words)
print(f"{accuracy(y, groups.labels_):.0%} of the answers are in the right group")

# %%
# Correct one answer
# ------------------
# Correct the rest one by one in a session: the answer and similar ones move; all others stay.

session = groups.session
before = session.begin()
names = [groups.names_[label] for label in groups.labels_]
wrong = next((each for each, name in zip(answers, names, strict=True) if name != each["label"]), answers[0])
after = session.fit([Label(wrong["id"], wrong["label"])], start=before)
print(f'"{wrong["text"]}" is about {wrong["label"]}')
print(after.compare(before))
