"""
Label words or label documents
==============================

A few labelled words steer short texts better than the same number of labelled documents, since a word is in many
documents.
"""

import matplotlib.pyplot as plt

from outgroup import DocumentClustering
from outgroup.demo import records
from outgroup.metrics import accuracy

answers = records("survey")
y = [each["label"] for each in answers]
words = {
    "opening hours": ["open", "hours", "early", "late", "closes", "evening"],
    "noise": ["quiet", "loud", "silent", "noise", "phones", "noisy"],
    "books": ["novels", "books", "travel", "comics", "fiction", "print"],
    "computers": ["wifi", "printers", "sockets", "slow", "computers", "laptops"],
}
examples = {theme: [each["id"] for each in answers if each["label"] == theme] for theme in words}

# %%
# The same number of labels for each theme, as words or as documents:

counts, by_words, by_documents = range(7), [], []
for n in counts:
    model = DocumentClustering(4, random_state=0)
    some_words = {theme: listed[:n] for theme, listed in words.items()} if n else None
    some = {theme: ids[:n] for theme, ids in examples.items()} if n else None
    by_words.append(accuracy(y, model.fit(answers, word_seeds=some_words).labels_))
    by_documents.append(accuracy(y, model.fit(answers, seeds=some).labels_))

plt.plot(counts, by_words, marker="o", label="words")
plt.plot(counts, by_documents, marker="s", label="documents")
plt.xlabel("labels for each group")
plt.ylabel("accuracy")
plt.legend()
plt.show()

# %%
# Details: :doc:`/docs/labels` and :doc:`/docs/dual_supervision`.
