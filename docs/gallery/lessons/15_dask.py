"""
Fit on a Dask cluster
=====================

Rows on the workers of a Dask cluster are one more back end: the same estimator finds the same groups.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from distributed import Client

from outgroup import SphericalKMeans, Vectorizer
from outgroup.demo import records
from outgroup.rows.dask import disk_rows
from outgroup.rows.mapped import write_rows

# %%
# Parts of the rows lie in a folder that all workers see. Here four threads stand for the machines of a cluster.

found = {}
with tempfile.TemporaryDirectory() as folder, Client(processes=False, n_workers=2, dashboard_address=":0") as client:
    X = Vectorizer().fit_transform([each["text"] for each in records("documents")])
    place = Path(folder) / "rows"
    mapped = write_rows(place, (X[start : start + 50] for start in range(0, X.shape[0], 50)))
    for name, rows in {"files": mapped, "Dask": disk_rows(client, str(place))}.items():
        found[name] = SphericalKMeans(6, random_state=0).fit(rows)
print("same groups:", (found["files"].labels_ == found["Dask"].labels_).all())

# %%
# Each step of the fit is one pass over all parts; only sums travel.

for name, fit in found.items():
    plt.plot(
        [step["objective"] for step in fit.trace_], label=name, linestyle="-" if name == "files" else ":", linewidth=3
    )
plt.xlabel("step")
plt.ylabel("Q")
plt.legend()
plt.show()

# %%
# On the command line: ``--cluster tcp://scheduler:8786``. Details: :doc:`/docs/scale`.
