"""Codebooks: files in three forms, faults that name their place, and groups that start from codes."""

from dataclasses import replace

import openpyxl
import pytest
from factories import KITCHEN, TRAINS

from outgroup import DocumentClustering
from outgroup.codebook import Code, Codebook
from outgroup.errors import InputError

BOOK = Codebook(
    [
        Code(10, "Food"),
        Code(
            11, "=SUM(1)", 10, "bread; \"butter\"\nand 'knives'", "-all", "'=none", ["bread", "butter"], ["=1+1", "é"]
        ),
        Code(3, "'+quoted\\", keywords=["train"], examples=['the "train", to\ttown']),
        Code(98, "no answer"),
    ]
)
FRAME = Codebook(
    [
        Code(7, "Rail", keywords=["train"], description="by rail"),
        Code(4, "Food", examples=["bread  and\nbutter", "2"]),
        Code(12, "Weather", keywords=["storm"], examples=["no such text"]),
        Code(99, "other", keywords=["bread"]),
    ]
)
TEXTS = [*KITCHEN, *TRAINS]


@pytest.mark.parametrize("kind", ["csv", "toml", "xlsx"])
def test_a_codebook_survives_each_form_of_file(tmp_path, kind):
    BOOK.write(tmp_path / f"book.{kind}")
    assert Codebook.read(tmp_path / f"book.{kind}") == BOOK


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_no_cell_of_a_file_is_a_formula(tmp_path, kind):
    path = tmp_path / f"book.{kind}"
    BOOK.write(path)
    if kind == "csv":
        assert '"\'=SUM(1)"' in path.read_text().replace("'=SUM(1)", '"\'=SUM(1)"')
        assert ",=" not in path.read_text()
    else:
        cells = [cell for row in openpyxl.load_workbook(path).active.iter_rows() for cell in row]
        assert {cell.data_type for cell in cells} <= {"s", "n"}
        assert not any(str(cell.value).startswith(("=", "-", "+")) for cell in cells)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
def test_a_file_of_a_spreadsheet_program_is_read(tmp_path, encoding):
    (tmp_path / "book.csv").write_bytes("Number;Name;;\r\n1;Größe;;\r\n;;;\r\n2;Preis;;\r\n".encode(encoding))
    codes = Codebook.read(tmp_path / "book.csv").codes
    assert [(code.number, code.name) for code in codes] == [(1, "Größe"), (2, "Preis")]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("number,name\n1,a\n1,b\n", "number 1"),
        ("number,name,parent\n1,a,5\n", "parent 5"),
        ("number,name,parent\n1,a,2\n2,b,3\n3,c,2\n", "2 -> 3 -> 2"),
        ("number,name\n1,a\n2,\n", "line 3"),
        ('number,name,description\n1,a,"x\ny"\n-4,b,\n', "line 4"),
        ("number,name\n1.5,a\n", "line 2"),
        ('number,name\n1,"a\n', "line 2"),
        ("number,nam\n1,a\n", "'name'"),
        ("", "line 1"),
    ],
)
def test_a_fault_of_a_table_is_named(tmp_path, content, place):
    path = tmp_path / "book.csv"
    path.write_text(content)
    with pytest.raises(InputError) as raised:
        Codebook.read(path)
    assert str(path) in str(raised.value)
    assert place in str(raised.value)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("", "[[code]]"),
        ("[[code]\n", "TOML"),
        ('[[code]]\nnumber = "1"\nname = "a"', "code 1"),
        ('[[code]]\nnumber = 1\nname = "a"\nkeywords = "tea"', "code 1"),
        ('[[code]]\nnumber = 1\nname = "a"\nkeyword = []', "'keywords'"),
    ],
)
def test_a_fault_of_a_toml_file_is_named(tmp_path, content, place):
    path = tmp_path / "book.toml"
    path.write_text(content)
    with pytest.raises(InputError) as raised:
        Codebook.read(path)
    assert place in str(raised.value)


@pytest.mark.parametrize("name", ["none.csv", "none.toml", "none.xlsx", "book.json", "damaged.xlsx"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "damaged.xlsx").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(InputError, match=name):
        Codebook.read(tmp_path / name)


def test_seeds_are_examples_and_known_keywords_in_order():
    assert FRAME.seeds(TEXTS) == {
        "seeds": {"Rail": (), "Food": ("0", "2")},
        "word_seeds": {"Rail": ("train",), "Food": ()},
        "codes": {"Rail": 7, "Food": 4},
    }


def test_tables_of_groups_have_the_numbers_of_the_codes(tmp_path):
    groups = DocumentClustering(3, random_state=0).fit(TEXTS, **FRAME.seeds(TEXTS))
    codes = {0: 7, 1: 4, 2: 2}
    for each in (groups, groups.rename(1, "Meals")):
        assert dict(zip(each.topics["group"], each.topics["code"], strict=True)) == codes
        table = each.documents
        assert [codes[group] for group in table["group"]] == list(table["code"])
    edited = Codebook([replace(code, name=f"{code.name}, edited") for code in FRAME.codes])
    renamed = {code.number: code for code in groups.codebook(edited).codes}
    assert [renamed[number].name for number in (7, 4)] == ["Rail, edited", "Food, edited"]
    assert len(renamed) == len(FRAME.codes) + 1  # the third group has no code yet
    groups.save(tmp_path / "model")
    assert set(DocumentClustering.load(tmp_path / "model").topics["code"]) == {7, 4, 2}
