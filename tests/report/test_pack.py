"""The parts of a page hold every document, and texts up to the budget; the bundle holds every module once."""

import base64
import json
import re
import zlib

import numpy as np
import pytest

from outgroup.report.html import PAGE, bundle, pack


def raw(part):
    return zlib.decompress(base64.b64decode(part))


def numbers(parts, name):
    kind = np.dtype(json.loads(raw(parts["about"]))["columns"][name][0])
    content = np.frombuffer(raw(parts[name]), np.uint8)
    return content.reshape(kind.itemsize, -1).T.copy().view(kind).ravel()


def test_columns_come_back(full):
    summary = full(40, 4)
    parts, documents = pack(summary), summary.documents
    assert json.loads(raw(parts["ids"])) == documents.ids
    np.testing.assert_array_equal(numbers(parts, "group"), documents.group)
    np.testing.assert_array_equal(numbers(parts, "near").reshape(40, -1).astype(int) - 1, documents.near)
    np.testing.assert_allclose(numbers(parts, "margin"), documents.margin)
    np.testing.assert_allclose(numbers(parts, "place").reshape(40, 2) / 8000, documents.place, atol=1e-4)
    assert raw(parts["titles"]).decode().split("\x1e") == documents.titles
    field = json.loads(raw(parts["field-0"]))
    assert [field["values"][code] for code in field["codes"]] == documents.fields["label"]


@pytest.mark.parametrize("size", [0.0, 0.002, 5.0])
def test_full_texts_are_taken_along_the_shortest_first_within_the_budget(full, size):
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcdefgh "), 300 + 40 * i)) for i in range(30)]
    parts = pack(full(30, 3, texts=texts), size)
    heads, tails = (raw(parts[name]).decode().split("\x1e") for name in ("heads", "tails"))
    whole = [head + tail == text.strip() for head, tail, text in zip(heads, tails, texts, strict=True)]
    assert all(text.strip().startswith(head) and len(head) <= 400 for head, text in zip(heads, texts, strict=True))
    assert whole == sorted(whole, reverse=True)
    stated = re.findall(r"(\d+) in full; of the other (\d+)", json.loads(raw(parts["about"]))["amount"])
    assert stated == [(str(sum(whole)), str(30 - sum(whole)))] * (sum(whole) < 30)
    assert len(parts["tails"]) <= 1.1e6 * size + 100
    assert (sum(whole) == 30) == (size == 5.0)


@pytest.mark.parametrize("start", ["report", "workbench"])
def test_a_bundle_has_its_modules_once_and_nothing_that_a_browser_would_load(start):
    script = bundle(start)
    modules = re.findall(r"^const (\w+) = \(\(\) => \{", script, re.MULTILINE)
    assert {"app_js", "store_js", "map_js", "vendor_preact_js", "vendor_htm_js", f"{start}_js"} <= {*modules}
    assert len(modules) == len({*modules})
    assert "import " not in [line[:7] for line in script.splitlines()]
    assert not any(line.startswith("export ") for line in script.splitlines())
    assert not any("innerHTML" in path.read_text(encoding="utf-8") for path in PAGE.glob("*.js"))
