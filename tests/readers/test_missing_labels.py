"""Labels that programs write for missing values are no classes."""

import json

import pytest

from outgroup.readers.corpus import read_corpus


@pytest.mark.parametrize("missing", ["", "NA", "n/a", "NaN", "None", "null", " nan "])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_missing_label_is_no_class(tmp_path, missing, suffix):
    rows = [{"text": "tea", "label": "drinks"}, {"text": "rails", "label": missing}]
    place = tmp_path / f"a.{suffix}"
    if suffix == "csv":
        place.write_text("text,label\n" + "".join(f"{row['text']},{row['label']}\n" for row in rows))
    else:
        place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_corpus(place).labels == ["drinks", ""]


@pytest.mark.parametrize(
    ("one", "other", "labels"), [("NA", "NaN", None), ("nano", "None of these", ["nano", "None of these"])]
)
def test_labels_that_are_all_missing_are_no_column_and_like_words_are_classes(tmp_path, one, other, labels):
    (tmp_path / "a.csv").write_text(f"text,label\ntea,{one}\nrails,{other}\n")
    assert read_corpus(tmp_path / "a.csv").labels == labels
