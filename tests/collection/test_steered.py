"""A collection in files that continues an earlier result and follows decisions: the groups of a run in memory."""

import json
import warnings
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from outgroup.cli import cluster as in_memory
from outgroup.cli import memory
from outgroup.cli.output import Steps
from outgroup.cli.result import lines
from outgroup.cli.settings import ClusterSettings
from outgroup.cli.start import read_past
from outgroup.decisions import Label, Merge, NewGroup, Rename, Split, Word, to_toml
from outgroup.errors import InputError, OutgroupWarning
from outgroup.metrics import adjusted_rand

from .test_large import cut_small, grouped, run, table

TOPICS = ("bread butter oven flour crust dough", "train rails town ticket platform", "tulip rose garden seed soil")


PLACED = [Label("d0", 1), Label("d4", 0)]


EACH = {
    "split": [Split(1)],
    "ignored": [Word("bread"), Word("train")],
    "word": [Word("oven", 1), Word("flour", 1)],
    "alone": [NewGroup(("d1", "d7"), "new", alone=True)],
    "missing": [Label("nowhere", 0), Word("unheard-of"), Rename(9, "none")],
    "all": [*PLACED, Word("soil"), Merge((0, 2)), NewGroup(("d9",), "new"), Label("d3", ()), Rename(1, "kept")],
}


def written(path, numbers):
    rng = np.random.default_rng(0)
    said = [" ".join(rng.choice(TOPICS[i % 3].split(), 4)) + f" {rng.choice(TOPICS[i % 2].split())}" for i in range(90)]
    said[20] = "unheard"
    path.write_text("".join(json.dumps({"id": f"d{i}", "text": said[i]}) + "\n" for i in numbers))
    return path


def at_once(docs, out, **options):
    settings = ClusterSettings(docs, out=out, table="csv", **{"encoder": "none"} | options)
    with warnings.catch_warnings(), Steps(Console(file=StringIO()), quiet=True) as steps:
        warnings.simplefilter("ignore", OutgroupWarning)
        return in_memory.cluster(settings, steps)


def in_files(docs, out, **options):
    return run(docs, out, k=8, **options)  # the default, which the earlier result replaces


def file_of(decisions, folder):
    path = folder / "steering.toml"
    path.write_text(to_toml(decisions))
    return path


def groups(folder):
    return {row["id"]: (row["cluster"], row["name"]) for row in table(folder)}


@pytest.fixture(scope="module", autouse=True)
def small():
    with pytest.MonkeyPatch.context() as monkeypatch:
        cut_small(monkeypatch)
        yield


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    """The result of sixty documents in memory, and all ninety documents."""
    place = tmp_path_factory.mktemp("earlier")
    at_once(written(place / "sixty.jsonl", range(60)), place / "result", k=3)
    return place / "result", written(place / "docs.jsonl", range(90))


@pytest.mark.parametrize("kind", [None, *EACH])
def test_groups_are_those_of_the_same_run_in_memory(earlier, tmp_path, kind):
    result, docs = earlier
    given = {"from_": result} | ({} if kind is None else {"steer": file_of(EACH[kind], tmp_path)})
    whole, there = at_once(docs, tmp_path / "whole", **given)
    outcome, here = in_files(docs, tmp_path / "here", **given)
    found, wanted = groups(here), groups(there)
    assert found == wanted
    assert [group.name for group in outcome.summary.groups] == [group.name for group in whole.summary.groups]
    assert outcome.past.numbers == whole.past.numbers
    assert outcome.record["documents"] == whole.record["documents"]
    if kind == "missing":
        assert sum(head == "Not followed:" for head, _ in lines(outcome.step, outcome.corpus)) == 3


def test_a_decision_places_a_document_of_a_part_without_rows(earlier, tmp_path):
    result, docs = earlier
    lines = docs.read_text().splitlines()[:60] + [json.dumps({"id": f"d{i}", "text": "unheard"}) for i in range(60, 90)]
    docs = tmp_path / "docs.jsonl"
    docs.write_text("".join(f"{line}\n" for line in lines))
    given = {"from_": result, "steer": file_of([Label("d75", 2)], tmp_path)}
    at_once(docs, tmp_path / "whole", **given)
    in_files(docs, tmp_path / "here", **given)
    found = groups(tmp_path / "here")
    assert found == groups(tmp_path / "whole")
    assert [found[f"d{i}"][0] for i in (74, 75, 76)] == ["", "2", ""]


def test_a_result_in_files_is_continued_in_files_and_in_memory(earlier, tmp_path):
    result, docs = earlier
    first = file_of(EACH["all"], tmp_path)
    for name, begin in (("files", in_files), ("memory", at_once)):
        begin(docs, tmp_path / name, from_=result, steer=first)
    kept, whole = (read_past(tmp_path / name) for name in ("files", "memory"))
    for name in ("numbers", "names", "pins", "away", "ignored", "decisions", "apart", "used", "groups"):
        assert getattr(kept, name) == getattr(whole, name), name
    found = []
    for name in ("files", "memory"):
        for number, again in enumerate((in_files, at_once)):
            _, folder = again(docs, tmp_path / f"{name}-{number}", from_=tmp_path / name)
            found.append(groups(folder))
    assert found[0] == found[1] == found[2] == found[3]


def test_repeated_ids_are_new_documents_as_they_are_in_memory(earlier, tmp_path):
    result, _ = earlier
    docs = written(tmp_path / "docs.jsonl", [*range(59), 0])
    whole, _ = at_once(docs, tmp_path / "whole", from_=result)
    outcome, folder = in_files(docs, tmp_path / "here", from_=result)
    assert outcome.step.version.notes[0] == "0 documents moved, 1 new, 1 gone"
    assert [group.size for group in outcome.summary.groups] == [group.size for group in whole.summary.groups]
    again, _ = in_files(docs, tmp_path / "again", from_=folder)
    assert again.step.version.notes[0] == "0 documents moved, 0 new, 0 gone"
    more, _ = in_files(written(tmp_path / "more.jsonl", [*range(60), 0]), tmp_path / "more", from_=result)
    assert more.step.version.notes[0] == "0 documents moved, 1 new, 0 gone"


def vectors_of(numbers, dtype=np.float16):
    """Three directions; the sixth document has no vector."""
    rng = np.random.default_rng(0)
    X = np.eye(6)[np.arange(90) % 3] + 0.2 * rng.normal(size=(90, 6))
    X[5] = 0
    return X[list(numbers)].astype(dtype)


def embedded(place, numbers, cuts):
    """Write documents, the second without a text, and their vectors as one file and as a folder."""
    docs = written(place / "docs.jsonl", numbers)
    lines = docs.read_text().splitlines(keepends=True)
    docs.write_text("".join([lines[0], json.dumps({"id": "blank", "text": " "}) + "\n", *lines[1:]]))
    X = np.insert(vectors_of(numbers), 1, 1.0, axis=0)
    np.save(place / "one.npy", X)
    (place / "parts").mkdir()
    for number, part in enumerate(np.split(X, cuts)):
        np.save(place / "parts" / f"{number}.npy", part)
    return docs


def test_embeddings_in_files_give_the_groups_of_the_same_run_in_memory(tmp_path):
    for name, numbers in (("earlier", range(60)), ("now", range(90))):
        (tmp_path / name).mkdir()
        embedded(tmp_path / name, numbers, [20])
    before, now = tmp_path / "earlier", tmp_path / "now"
    at_once(before / "docs.jsonl", before / "out", k=3, embeddings=str(before / "one.npy"))
    given = {"from_": before / "out", "embeddings": str(now / "parts")}
    given["steer"] = file_of(EACH["all"], tmp_path)
    at_once(now / "docs.jsonl", tmp_path / "whole", **given)
    in_files(now / "docs.jsonl", tmp_path / "here", **given)
    assert groups(tmp_path / "here") == groups(tmp_path / "whole")


def test_vectors_that_do_not_match_the_documents_are_refused(tmp_path):
    docs = embedded(tmp_path, range(90), [13])
    np.save(tmp_path / "parts" / "9.npy", np.ones((2, 6), dtype=np.float16))
    with pytest.raises(InputError, match=r"parts has 93 rows for 91 documents \(1 of them skipped\)"):
        run(docs, tmp_path / "out", k=3, embeddings=str(tmp_path / "parts"))
    column = ClusterSettings(grouped(docs), k=3, embeddings="vector", memory="300M")
    with pytest.raises(InputError, match="--embeddings COLUMN needs all documents"):
        memory.in_files(column)


def encode(texts):
    return np.array([[text.count(word[0]) for word in TOPICS] for text in texts], dtype=np.float32)


def test_the_encoder_of_a_user_gives_the_groups_of_the_same_run_in_memory(tmp_path):
    docs = written(tmp_path / "sixty.jsonl", range(60))
    given = {"k": 3, "encoder": f"{__name__}:encode"}
    at_once(docs, tmp_path / "whole", **given)
    run(docs, tmp_path / "here", **given)
    assert adjusted_rand(*([row["cluster"] for row in table(tmp_path / name)] for name in ("whole", "here"))) == 1
