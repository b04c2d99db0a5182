"""
Two waves of a survey
=====================

Answers to "What should the library change?", each with a region and a survey weight, and more of them in the next
wave. The result is a table of themes by region, in shares of weights, with the same codes in both waves.
"""

import csv
import random
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from outgroup import DocumentClustering
from outgroup.codebook import Codebook
from outgroup.demo import records
from outgroup.metrics import accuracy

folder = TemporaryDirectory()
FIRST, SECOND, BOOK = (Path(folder.name, name) for name in ("wave-1.csv", "wave-2.csv", "codebook.csv"))

# %%
# Read the answers
# ----------------
# Any CSV file does: a column with the answer, and others. Here two files are written first. In a terminal,
# `outgroup cluster wave-1.csv --weight weight --by region` is the same; `.xlsx` and SPSS `.sav` files work alike.

draw = random.Random(0)
for row, answer in enumerate(answers := records("survey")):
    likely = ["North", "North", "South"] if answer["label"] == "noise" else ["North", "South"]
    answers[row] = answer | {"region": draw.choice(likely), "weight": draw.choice([0.5, 1.0, 2.0])}
for path, some in ((FIRST, answers[:150]), (SECOND, answers)):
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, some[0].keys())
        table.writeheader()
        table.writerows(some)


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def right(groups, wave):
    return f"{accuracy([each['label'] for each in wave], groups.labels_):.0%} of the answers are in the right group"


first = read(FIRST)
groups = DocumentClustering(4, encoder=None, random_state=0).fit(first, sample_weight="weight")
print(right(groups, first))

# %%
# Write a codebook
# ----------------
# Each group becomes a code with a number, a name, keywords and examples.

groups.to_codebook().write(BOOK)
print(BOOK.read_text(encoding="utf-8")[:400])

# %%
# Edit the codebook
# -----------------
# In a spreadsheet, name the codes and list their words. Codes 98 and 99 start no group and stay in the book.

BOOK.write_text(
    """number,name,keywords
1,opening hours,"open,hours,early,late,opening,closed,closes"
2,noise,"quiet,loud,silent,noise,noisy,phones,shout,talk"
3,books,"novels,books,travel"
4,computers,"wifi,printers,sockets,slow,computers,wireless,printing,laptops"
98,no answer,
99,other,
""",
    encoding="utf-8",
)
book = Codebook.read(BOOK)

# %%
# Start the groups from the codes
# -------------------------------
# Names and keywords start the groups. Answers with an agreed code, of an earlier wave, are its examples.


def coded(wave, agreed):
    examples = {code.name: [key for key, name in agreed.items() if name == code.name] for code in book.codes}
    codes = Codebook([replace(code, examples=examples[code.name]) for code in book.codes])
    model = DocumentClustering(codebook=codes, encoder=None, random_state=0)
    return model.fit(wave, sample_weight="weight")


groups = coded(first, agreed={})
print(right(groups, first))

# %%
# The weighted table
# ------------------
# `share` is the share of a region's weight. The weights count in the fit, too.

groups.by("region", weights="weight")

# %%
# The next wave
# -------------
# Old and new answers together start from the same book. In a terminal, `--from wave-1` holds the old answers.


def codes(model):
    return {key: model.names_[label] for key, label in zip(model.ids_, model.labels_, strict=True)}


second, before = read(SECOND), codes(groups)
later = coded(second, agreed=before)
after = codes(later)
print(f"{sum(after[key] == code for key, code in before.items())} of {len(before)} old answers keep their code")
print([f"{code.number} {code.name}" for code in later.to_codebook(book).codes])
print(right(later, second))
folder.cleanup()
later.by("region", weights="weight")
