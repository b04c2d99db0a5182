# %% [markdown]
# # Support tickets: from offices to problems
#
# 184 invented mails to a help desk (`docs/notebooks/made.py`). Each is about signing in, an invoice, a
# delivery or a crash; 24 are automatic replies. The aim is groups of problems.
#
# ## 1. A first look

# %%
from made import replies, show, tickets

from outgroup import DocumentClustering
from outgroup.readers.documents import strip_signature

mails = tickets()
groups = DocumentClustering(n_clusters=5, random_state=0).fit(mails)
show(groups, mails)

# %% [markdown]
# These groups are places, not problems: "harbour", "orchard", "chimney". The words of a group show what
# it has in common.
#
# ## 2. Find the cause
#
# One mail of the first group shows the cause: the signature is as long as the message.

# %%
mail = mails[groups.labels_.tolist().index(0)]
print(mail["text"])
print(groups.explain(mail["text"]))

# %% [markdown]
# ## 3. Without signatures
#
# On the command line: `--strip signatures`.

# %%
mails = [mail | {"text": strip_signature(mail["text"])} for mail in mails]
groups = DocumentClustering(n_clusters=5, random_state=0).fit(mails)
show(groups, mails)

# %% [markdown]
# Four groups are problems now. The fifth holds automatic replies.
#
# ## 4. Set replies aside
#
# The replies found so far, and others from another month, become off-topic examples: similar mails belong to no
# group.

# %%
away = int(groups.predict([replies()[0]["text"]])[0])
examples = [mail for mail, label in zip(mails, groups.labels_, strict=True) if label == away] + replies()
tickets_only = [mail for mail, label in zip(mails, groups.labels_, strict=True) if label != away]
groups = DocumentClustering(n_clusters=4, random_state=0).fit(tickets_only, universum=examples)
show(groups, tickets_only)

# %% [markdown]
# ## 5. Tomorrow's mail
#
# New mails are assigned to a group, with the words that decide.

# %%
for text in ("The courier lost one of our boxes", "We paid this invoice already, please refund us"):
    print(groups.explain(text))
