"""Blocks of texts say of all texts what reading them at once says."""

import warnings

import pytest

from outgroup.errors import OutgroupWarning
from outgroup.readers.corpus import read_blocks, read_corpus
from outgroup.readers.fields import Fields


def notes(read):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", OutgroupWarning)
        read()
    return [str(each.message) for each in said]


@pytest.mark.parametrize("at_once", [1, 20_000])
def test_notes_on_texts_appear_once_for_all_blocks(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr("outgroup.readers.corpus._DOCUMENTS", at_once)
    table, folder = tmp_path / "a.csv", tmp_path / "docs"
    table.write_text("text\n<p>tea</p>\nmilk\n<br>\n", encoding="utf-8")
    folder.mkdir()
    for number, text in enumerate(("чай", "tea", "мед")):
        (folder / f"{number}.txt").write_bytes(text.encode("cp1251"))
    for path, said in ((table, "HTML was found in 1 of 2 texts"), (folder, "2 of 3 texts are not UTF-8")):
        found = notes(lambda path=path: list(read_blocks(path, Fields())))
        assert found == notes(lambda path=path: read_corpus(path))
        assert len(found) == 1
        assert found[0].startswith(said)
