"""Labels that programs write for missing values are no classes."""

import json

import pytest

from outgroup.readers.corpus import read_corpus


@pytest.mark.parametrize(
    "missing", ["", "NA", "n/a", "NaN", "None", "null", " nan ", "#N/A", "<NA>", "NaT", "\\N", "-", ".", "#NULL!"]
)
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_missing_label_is_no_class(tmp_path, missing, suffix):
    rows = [{"text": "tea", "label": "drinks"}, {"text": "rails", "label": missing}]
    place = tmp_path / f"a.{suffix}"
    if suffix == "csv":
        place.write_text("text,label\n" + "".join(f"{row['text']},{row['label']}\n" for row in rows))
    else:
        place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_corpus(place).labels == ["drinks", ""]
