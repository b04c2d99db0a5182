"""
Support tickets: from offices to problems
=========================================

184 invented mails to a help desk. Each is about signing in, an invoice, a delivery or a crash; 24 are automatic
replies. The aim is groups of problems.
"""

from outgroup import DocumentClustering
from outgroup.demo import records
from outgroup.metrics import accuracy

mails = records("tickets")
groups = DocumentClustering(5, random_state=0).fit(mails)
print(f"{accuracy([each['label'] for each in mails], groups.labels_):.0%} of the mails are in the right group")
groups.topics

# %%
# Find the cause
# --------------
# These groups are places, not problems: "harbour", "orchard", "chimney". One mail shows the cause: the signature is as
# long as the message.

mail = mails[groups.labels_.tolist().index(0)]
print(mail["text"])
groups.explain(mail["text"])

# %%
# Leave signatures out
# --------------------
# A signature follows a line of two dashes. On the command line: ``--strip signatures``.

mails = [mail | {"text": mail["text"].split("\n-- \n")[0]} for mail in mails]
groups = DocumentClustering(5, random_state=0).fit(mails)
print(f"{accuracy([each['label'] for each in mails], groups.labels_):.0%} of the mails are in the right group")
groups.topics

# %%
# Set replies aside
# -----------------
# Four groups are problems now. The fifth holds automatic replies. These replies, and others from another month, become
# off-topic examples: similar mails belong to no group.

away = int(groups.predict([records("replies")[0]["text"]])[0])
examples = [mail for mail, label in zip(mails, groups.labels_, strict=True) if label == away] + records("replies")
tickets = [mail for mail, label in zip(mails, groups.labels_, strict=True) if label != away]
groups = DocumentClustering(4, random_state=0).fit(tickets, universum=examples)
print(f"{accuracy([each['label'] for each in tickets], groups.labels_):.0%} of the mails are in the right group")
groups.topics

# %%
# Assign tomorrow's mail
# ----------------------
# New mails are assigned to a group, with the words that decide.

for text in ("The courier lost one of our boxes", "I am out of the office until Monday and read no mail"):
    print(groups.explain(text))
