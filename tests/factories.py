"""Toy texts and rows of planted groups that tests in several folders share."""

import datetime
import io
import os
import random
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

CARD = os.environ.get("OUTGROUP_TEST_DEVICE", "cpu")
"""The device of PyTorch that tests of rows on a graphics card use: `cuda` where there is a card."""
KITCHEN = ["bread and butter", "butter on warm bread", "warm bread again", "a knife for butter and bread"]
TRAINS = ["the train to town", "a town with a train", "trains leave the station", "station in town, train late"]
TEA = ["tea with milk", "green tea leaves", "milk in the tea", "leaves for tea", "hot tea and milk"]
RAILS = [
    "the train to town",
    "a town with a train",
    "trains leave the station",
    "station in town",
    "late train, station",
]
TOPICS = [f"{a} {b} {topic}" for topic in ("bread oven", "train rail", "rose soil") for a in "uvwx" for b in "ghkm"]
"""Three groups of 16 texts."""


def around_axes(
    k: int = 4, each: int = 40, d: int = 24, spread: float = 0.3, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return k * each unit rows (n, d) around k axes, and their groups (n,)."""
    rng = np.random.default_rng(seed)
    y = np.arange(k * each) % k
    X = np.eye(d)[y] + spread * rng.standard_normal((len(y), d)) / np.sqrt(d)
    return X / np.linalg.norm(X, axis=1, keepdims=True), y


SUBJECTS = {
    "kitchen": "bread butter oven flour loaf dough yeast crust salt rye",
    "trains": "train rails town ticket station engine signal driver coach platform",
    "ships": "harbour ship sail anchor mast deck crew cargo port captain",
}


def about(name, count, seed):
    """Texts of five words of a subject, and one word of ships, so that ships are known words of every fit."""
    rng = random.Random(seed)
    words, common = SUBJECTS[name].split(), SUBJECTS["ships"].split()
    return [" ".join([*rng.sample(words, 5), rng.choice(common)]) for _ in range(count)]


def set_constants(patch, module, **values):
    """Replace fields of the first instance of constants in a module."""
    name = next(name for name, each in vars(module).items() if type(each).__name__.endswith("Constants"))
    patch.setattr(module, name, replace(getattr(module, name), **values))


def write(path, content):
    """Write a text or bytes to a file, in folders that are made for it, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    """Return the bytes of an archive with these members by name."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", compression) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return raw.getvalue()


def word(body):
    """Return the bytes of a Word file with this XML in its body."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return zipped({"word/document.xml": f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'})


def ods(rows):
    """Return the bytes of an OpenDocument spreadsheet with these rows in XML: tables t:, texts x:, styles s:."""
    names = {"o": "office", "t": "table", "x": "text", "s": "style"}
    spaces = " ".join(f'xmlns:{at}="urn:oasis:names:tc:opendocument:xmlns:{of}:1.0"' for at, of in names.items())
    return zipped({"content.xml": f'<o:c {spaces}><t:table t:name="A">{rows}</t:table></o:c>'})


def workbook(suffix, **sheets):
    """Return the bytes of a spreadsheet, .xlsx or .ods, with these rows by the names of its sheets."""
    raw = io.BytesIO()
    if suffix != ".ods":
        book = pytest.importorskip("openpyxl", reason="needs the extra io").Workbook()
        book.remove(book.active)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append(row)
        book.save(raw)
        return raw.getvalue()
    document, table, text = (
        pytest.importorskip(f"odf.{name}", reason="needs odfpy") for name in ("opendocument", "table", "text")
    )
    book = document.OpenDocumentSpreadsheet()
    for name, rows in sheets.items():
        book.spreadsheet.addElement(sheet := table.Table(name=name))
        for row in rows:
            sheet.addElement(line := table.TableRow())
            for value in row:
                date = {"valuetype": "date", "datevalue": str(value)} if isinstance(value, datetime.date) else {}
                line.addElement(cell := table.TableCell(**date))
                for part in [] if value is None else str(value).split("\n"):
                    cell.addElement(text.P(text=part))
    book.save(raw)
    return raw.getvalue()


def skipped(corpus):
    """Return why each place of a corpus was skipped."""
    return {skip.where: skip.reason for skip in corpus.skipped}
