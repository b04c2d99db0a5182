"""Codebooks: files in three forms, faults that name their place, and groups that start from codes."""

from dataclasses import replace
from itertools import combinations

import openpyxl
import pytest
from factories import KITCHEN, TRAINS

from outgroup import DocumentClustering
from outgroup.codebook import Code, Codebook
from outgroup.decisions import Define, Merge
from outgroup.errors import InputError, OutgroupWarning
from outgroup.metrics import adjusted_rand
from outgroup.session import Session

HARD = "bread; \"butter\"\nand 'knives'"
BOOK = Codebook(
    [
        Code(10, "Food"),
        Code(11, "=SUM(1)", 10, HARD, "-all", "'=none", ["bread", "butter"], ["=1+1", "é"]),
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


@pytest.mark.filterwarnings("ignore:.*Windows-1252")
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
        ("number,name\n1,a\n2,\n", "row 3"),
        ('number,name,description\n1,a,"x\ny"\n-4,b,\n', "row 3"),
        ("number,name\n1.5,a\n", "row 2"),
        ('number,name\n1,"a\n', "line 2"),
        ("number,nam\n1,a\n", "'name'"),
        ("", "no codes"),
        ("[[code]\n", "TOML"),
        ('[[code]]\nnumber = "1"\nname = "a"', "code 1"),
        ('[[code]]\nnumber = 1\nname = "a"\nkeywords = "tea"', "code 1"),
        ('[[code]]\nnumber = 1\nname = "a"\nkeyword = []', "'keywords'"),
    ],
)
def test_a_fault_of_a_file_is_named(tmp_path, content, place):
    path = tmp_path / ("book.toml" if "[[code" in content else "book.csv")
    path.write_text(content)
    with pytest.raises(InputError) as raised:
        Codebook.read(path)
    assert str(path) in str(raised.value)
    assert place in str(raised.value)


@pytest.mark.parametrize("name", ["none.csv", "none.toml", "none.xlsx", "book.json", "damaged.xlsx"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "damaged.xlsx").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(InputError, match=name):
        Codebook.read(tmp_path / name)


def test_seeds_are_the_definitions_and_the_documents_that_are_examples():
    clusters = FRAME.seeds(TEXTS).clusters
    assert {name: each.documents for name, each in clusters.items()} == {"Rail": (), "Food": ("0", "2"), "Weather": ()}
    assert (clusters["Rail"].texts, clusters["Rail"].words) == (("Rail: by rail",), ("train",))
    assert (clusters["Weather"].texts, clusters["Weather"].words) == (("Weather", "no such text"), ("storm",))
    assert FRAME.seeds(TEXTS).none == ("other", "bread")


def test_tables_of_groups_have_the_numbers_of_the_codes(tmp_path):
    with pytest.warns(OutgroupWarning, match="Weather|storm"):
        groups = DocumentClustering(codebook=FRAME, random_state=0).fit(TEXTS)
    codes = {0: 7, 1: 4}
    for each in (groups, groups.rename(1, "Meals")):
        assert dict(zip(each.topics["group"], each.topics["code"], strict=True)) == codes
        table = each.documents
        assert [codes[group] for group in table["group"]] == list(table["code"])
    edited = Codebook([replace(code, name=f"{code.name}, edited") for code in FRAME.codes])
    renamed = {code.number: code for code in groups.to_codebook(edited).codes}
    assert [renamed[number].name for number in (7, 4)] == ["Rail, edited", "Food, edited"]
    assert len(renamed) == len(FRAME.codes)
    groups.save(tmp_path / "model")
    assert set(DocumentClustering.load(tmp_path / "model").topics["code"]) == {7, 4}


# --- Definitions start groups

SUBJECTS = {
    "delivery": ["parcel", "courier", "late", "lost", "damaged", "driver", "doorstep"],
    "invoices": ["invoice", "charged", "twice", "refund", "payment", "amount", "statement"],
    "passwords": ["password", "login", "forgot", "reset", "account", "locked", "email"],
    "parking": ["garage", "ticket", "barrier", "bicycle", "space", "lane", "meter"],
}
MESSAGES = [" ".join(words) for name in SUBJECTS for words in combinations(SUBJECTS[name], 3)]
TRUE = [name for name in SUBJECTS for _ in combinations(SUBJECTS[name], 3)]
CODES = {
    "delivery": "late, lost or damaged parcels",
    "invoices": "a payment or an amount that is not right",
    "passwords": "the login does not work",
    "parking": "no space in the garage",
}


def grouped(codes, *k):
    return DocumentClustering(*k, codebook=codes, encoder=None, random_state=0).fit(MESSAGES)


def named(groups):
    return [groups.names_[label] for label in groups.labels_]


@pytest.mark.parametrize("order", [1, -1])
def test_groups_start_from_definitions_alone(order):
    codes = dict([*CODES.items()][::order])
    groups = grouped(codes)
    assert groups.names_ == list(codes)
    assert named(groups) == TRUE
    assert dict(zip(groups.topics["name"], groups.topics["code"], strict=True)) == {n: i for i, n in enumerate(codes)}
    assert groups.session.version.proposed == ()


def test_a_subject_without_a_code_is_proposed():
    codes = {name: text for name, text in CODES.items() if name != "parking"}
    groups = grouped(codes)
    proposed = groups.session.version.proposed
    assert {TRUE[int(row)] for each in proposed for row in each.documents} == {"parking"}
    assert all(set(each.words) <= set(SUBJECTS["parking"]) for each in proposed)
    session = groups.session
    assert len(session.fit([proposed[0].decision], start=session.version).numbers) == 4


def test_a_larger_number_starts_groups_from_the_documents_that_no_code_covers():
    codes = {name: CODES[name] for name in ("delivery", "invoices")}
    groups = grouped(codes, 4)
    assert groups.names_ == [*codes, None, None]
    assert adjusted_rand(TRUE, groups.labels_) == 1
    fewer = grouped(codes, 1)
    assert fewer.names_ == list(codes)
    assert {code.name: code.description for code in fewer.to_codebook().codes} == codes


def test_a_code_that_no_document_is_near_starts_no_group():
    codes = CODES | {"weather": "rain and storms"}
    with pytest.warns(OutgroupWarning, match="weather"):
        groups = grouped(codes)
    assert groups.names_ == list(CODES)
    assert named(groups) == TRUE


def test_excluded_documents_start_no_group():
    near = Code(1, "delivery", description="the driver, or the login")
    codes = [near, replace(near, exclude="login or password")]
    found = []
    for code in codes:
        groups = grouped(Codebook([code, Code(2, "parking", description="a space in the garage")]))
        proposed = [{TRUE[int(row)] for row in each.documents} for each in groups.session.version.proposed]
        found.append({"passwords"} in proposed)
    assert found == [False, True]


def test_a_special_code_keeps_documents_from_starting_a_group():
    book = Codebook([Code(1, "delivery", description="driver or login"), Code(99, "other", description="login, reset")])
    groups = grouped(book)
    assert book.seeds(MESSAGES).none == ("other: login, reset",)
    assert groups.names_ == ["delivery"]


@pytest.mark.parametrize(
    "wrong", ["delivery", ["delivery"], {"delivery": 3}, {"": "late"}, {}, Codebook([Code(99, "other")])]
)
def test_a_codebook_that_is_not_valid_is_an_error(wrong):
    with pytest.raises(InputError):
        DocumentClustering(codebook=wrong).fit(MESSAGES)


def test_definitions_of_one_group_add_up():
    session = Session([*KITCHEN, *TRAINS], n_clusters=2, random_state=0)
    parts = [Define("bread, butter and tea", "food"), Define("trains and stations", "rail"), Define("rails", "rail")]
    version = session.fit(parts)
    assert sorted(version.names.values()) == ["food", "rail"]
    assert all(version.receipt(part).honoured for part in parts)
    assert {*version.state.definitions.values()} == {"bread, butter and tea", "trains and stations"}
    merged = session.fit([*parts, Merge((1, 0))], start=version)
    assert merged.state.definitions == {1: version.state.definitions[1]}
    unnamed = session.fit([Define("bread, butter and tea", "food")])
    (food,) = unnamed.names
    kept = 1 - food
    renamed = session.fit([*unnamed.decisions, Merge((kept, food))], start=unnamed)
    assert (renamed.names, renamed.state.definitions) == ({kept: "food"}, {kept: "bread, butter and tea"})
    with pytest.raises(InputError):
        Define("trains", 0)


def test_a_codebook_and_seeds_are_an_error():
    with pytest.raises(InputError, match="codebook"):
        DocumentClustering(codebook=CODES).fit(MESSAGES, seeds={"delivery": ["0"]})


def test_a_file_without_numbers_is_numbered_in_its_order(tmp_path):
    (tmp_path / "codes.csv").write_text("name,description\nBread,about baking\nTrains,about rail\n")
    codes = Codebook.read(tmp_path / "codes.csv").codes
    assert [(code.number, code.name) for code in codes] == [(0, "Bread"), (1, "Trains")]
