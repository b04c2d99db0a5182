"""What the README tells a newcomer to type runs as it is printed, on a folder of documents."""

import json
import re
from pathlib import Path

import pytest
from commands import outgroup

from outgroup.demo import documents_path, off_topic_path

README = Path(__file__).parents[2] / "README.md"


def fenced(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def documents(tmp_path, monkeypatch):
    """The folders that the README names, with the bundled documents in them, as the folder where one stands."""
    monkeypatch.chdir(tmp_path)
    for name, source in (("my-documents", documents_path()), ("off-topic-examples", off_topic_path())):
        Path(name).mkdir()
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines()):
            Path(name, f"{number}.txt").write_text(json.loads(line)["text"], encoding="utf-8")


def test_its_commands_run(documents):
    lines = [line for block in fenced("sh") for line in block.splitlines() if line.startswith("outgroup cluster")]
    for line in lines:
        outgroup(*line.split()[1:])
    assert len(lines) == 2
    assert {path.name for path in Path().iterdir() if path.is_dir()} >= {"my-documents-clusters", "without-junk"}
    assert Path("my-documents-clusters", "report.html").is_file()
    assert json.loads(Path("without-junk", "run.json").read_text())["off_topic"]


def test_its_python_runs(documents):
    names = {}
    for block in fenced("python"):
        exec(compile(block, str(README), "exec"), names)
    assert len(names["texts"]) == len(names["labels"]) == 284
    assert names["better"].labels_[17] == 4
    assert Path("page.html").is_file()
