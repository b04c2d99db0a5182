"""
Use pipelines and grid search
=============================

The estimators are scikit-learn's: they work in a ``Pipeline``, with ``clone`` and in ``GridSearchCV``. Their own
``score`` favours the fewest or the most groups: for the number of groups use ``n_clusters="auto"`` or labels.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from outgroup import SphericalKMeans, Vectorizer
from outgroup.demo import records
from outgroup.metrics import nmi

abstracts = records("papers")
texts, y = [each["text"] for each in abstracts], [each["label"] for each in abstracts]
pipeline = Pipeline([("words", Vectorizer()), ("groups", SphericalKMeans(4, random_state=0))])

# %%
# The abstracts share the words of a few methods. Some labels tell how many frequent words to leave out: the scorer
# compares the groups of held-out abstracts with their labels.


def agreement(model, texts, y):
    """Return the NMI of the groups of held-out texts with their labels."""
    return nmi(y, model.predict(texts))


shares = [0.1, 0.2, 0.3, 0.5, 1.0]
search = GridSearchCV(pipeline, {"words__max_df": shares}, scoring=agreement, cv=3).fit(texts, y)
print("best:", search.best_params_)

plt.errorbar(shares, search.cv_results_["mean_test_score"], search.cv_results_["std_test_score"], marker="o", capsize=3)
plt.xlabel("max_df")
plt.ylabel("NMI on held-out abstracts")
plt.show()
