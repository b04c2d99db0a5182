"""A folder or an archive of files of records alone, such as an export of each month, is one collection."""

import zipfile
from pathlib import Path

import pytest

from outgroup.errors import CorpusError, OutgroupWarning
from outgroup.readers.corpus import read_blocks, read_corpus
from outgroup.readers.fields import Fields
from outgroup.readers.inputs import extent

MONTHS = {
    "2024/jan.csv": "number;text\n1;tea is late\n2;\n",
    "2024/feb.csv": "text,extra,file\nmilk is cold,yes,mine\n",
    "2024/mar.jsonl": '{"text": "bread is warm"}\n',
}


@pytest.fixture(params=["folder", "archive"])
def made(request, tmp_path):
    """Return what writes files into a folder, or into an archive."""

    def make(files):
        place = tmp_path / "parts"
        for name, content in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(content)
        if request.param == "folder":
            return place
        packed = Path(f"{place}.zip")
        with zipfile.ZipFile(packed, "w") as archive:
            for name in files:
                archive.write(place / name, name)
        return packed

    return make


def test_their_records_are_documents_that_know_their_file(made):
    with pytest.warns(OutgroupWarning, match="3 files of records"):
        found = read_corpus(made(MONTHS))
    assert found.ids == ["2024/feb.csv#2", "2024/jan.csv#2", "2024/mar.jsonl#1"]
    assert found.texts == ["milk is cold", "tea is late", "bread is warm"]
    assert found.columns["file (2)"] == ["2024/feb.csv", "", ""]
    assert found.columns["file"] == ["mine", "2024/jan.csv", "2024/mar.jsonl"]
    assert found.columns["number"] == ["", "1", ""]
    assert [(skip.where, skip.columns["file"]) for skip in found.skipped] == [("row 2024/jan.csv#3", "2024/jan.csv")]


@pytest.mark.filterwarnings("ignore::outgroup.errors.OutgroupWarning")
def test_a_stream_reads_the_same_and_knows_how_much_it_is(made):
    place = made(MONTHS)
    whole, blocks = read_corpus(place), list(read_blocks(place, Fields()))
    assert [each.id for block in blocks for each in block.documents] == whole.ids
    assert extent(place, Fields(), 10_000).documents == 4


def test_one_without_the_field_is_skipped_by_name_and_is_an_error_where_all_lack_it(made):
    place = made(MONTHS | {"2023/people.csv": "name,phone\nAnn,1\n"})
    with pytest.warns(
        OutgroupWarning, match=r"3 files of records .*: '2024/feb.csv', '2024/jan.csv', '2024/mar.jsonl'"
    ):
        found = read_corpus(place)
    assert [skip.where for skip in found.skipped if "file of records without" in skip.reason] == ["2023/people.csv"]
    with pytest.raises(CorpusError, match="field 'body'"):
        read_corpus(place, text="body")
