"""
See groups over time
====================

Give a date for each document, or the name of a column, to count the groups by day, month or year.
"""

from datetime import date, timedelta

import matplotlib.pyplot as plt

from outgroup import DocumentClustering
from outgroup.demo import records

documents = [each for each in records("documents") if each["label"] != "off-topic"]
groups = DocumentClustering(5, random_state=0).fit(documents)

# %%
# The bundled mail has no dates, so these are made up: mail on gardening arrives in spring, all other mail at any time.

start = date(2026, 1, 1)
dates = [
    start + timedelta(days=90 + i % 60 if each["label"] == "gardening" else i * 300 // len(documents))
    for i, each in enumerate(documents)
]
table = groups.over_time(dates)
table

# %%
# The report draws it, too; here by Matplotlib.

for name in dict.fromkeys(table["name"]):
    months = [
        (month, count)
        for month, group, count in zip(table["period"], table["name"], table["documents"], strict=True)
        if group == name
    ]
    plt.plot(*zip(*months, strict=True), marker="o", label=name)
plt.ylabel("documents")
plt.xticks(rotation=45)
plt.legend()
plt.tight_layout()
plt.show()

# %%
# On the command line: ``--by created``.
