"""Tables as programs export them: a title above the header, what separates the cells, cells that nobody filled in."""

import pytest

from outgroup.errors import CorpusError, OutgroupWarning
from outgroup.readers.corpus import read_corpus

ROWS = "001;Tea, milk;1,5\n002;Bread;2\n"


def read(tmp_path, content, **how):
    path = tmp_path / "a.csv"
    path.write_bytes(content.encode())
    return read_corpus(path, **{"id": "No"} | how)


@pytest.mark.parametrize("title", ["Tickets of May\n", "Tickets, of May;;\n;;\n\n", '"Tickets\nof ""May"""\n'])
def test_a_title_stands_above_the_header(tmp_path, title):
    line = title.count("\n") + 1
    with pytest.warns(OutgroupWarning, match=f"line {line} is the header; the (lines|rows) above it were skipped"):
        corpus = read(tmp_path, f"{title}No;Text;Price\n{ROWS}")
    assert (corpus.ids, corpus.texts) == (["001", "002"], ["Tea, milk", "Bread"])
    assert corpus.columns == {"Price": ["1,5", "2"]}


def test_all_uneven_lines_are_listed(tmp_path):
    with pytest.raises(CorpusError, match=r"line 2: .*so are lines 3, 4"):
        read(tmp_path, "No;Text\n1;Tea;x\n2;Milk;x\n3;Rye;x\n")


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (["2,'open", "3,three", "4,four"], "line 3: "),  # to the end of the file
        (["2,'open", "3,three", "4,'four'"], "line 3"),  # to the next quote
    ],
)
def test_a_quote_that_never_closes_is_found_where_it_opens(tmp_path, rows, line):
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["id,text", "1,'one'", *rows]).replace("'", '"') + "\n")
    with pytest.raises(CorpusError, match=line):
        read_corpus(path)
