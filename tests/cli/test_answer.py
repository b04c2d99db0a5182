"""`outgroup answer`: what is sent and kept, interruptions, and the check of a model's answers by a person."""

import csv
import json
import tomllib
from pathlib import Path

import pytest
from commands import outgroup, printed, records, table
from endpoints import NOT_ANSWERS, answering, reply, right, serving, wrong
from factories import SUBJECTS, about

NAMES = list(SUBJECTS)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """A result of three groups by subject, with each fourth document in a wrong one."""
    folder = tmp_path_factory.mktemp("result")
    texts = [text for seed, name in enumerate(NAMES) for text in about(name, 40, seed)]
    records(folder / "docs.jsonl", texts, given=lambda i: (i // 40 + (i % 4 == 0)) % 3)
    options = ("--labels", "given", "--quick", "--encoder", "none", "--out", folder / "out")
    outgroup("cluster", folder / "docs.jsonl", *options)
    return folder


@pytest.fixture
def answer(result):
    def run(*words, code=0):
        docs = (result / "docs.jsonl", "--from", result / "out", "--encoder", "none", "--out", "answers")
        return outgroup("answer", *docs, *words, code=code)

    return run


def address(server):
    return f"http://127.0.0.1:{server.server_port}/v1#small"


def rows(name="answers.csv"):
    found = table(f"answers/{name}")
    return [{key.lstrip("\ufeff"): cell for key, cell in row.items()} for row in found]


def fill_in(say=right):
    """Answer the questions of check.csv, and return the name of the new file."""
    found = rows("check.csv")
    with open("checked.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, found[0].keys(), delimiter=";")
        writer.writeheader()
        writer.writerows(row | {"answer": say(row["question"])} for row in found)
    return "checked.csv"


def decisions():
    return tomllib.loads(Path("answers/steering.toml").read_text(encoding="utf-8")).get("decision", [])


def test_answers_are_proposals_that_a_person_does_not_see_in_the_check(answer):
    with serving((200, reply)) as endpoint:
        told = answer("--model", address(endpoint), "--most", 60, "--yes").output
    found, check = rows(), rows("check.csv")
    assert {row["prompt"] for row in found} == {body["messages"][0]["content"] for _, body in endpoint.requests}
    assert len(found) == len(endpoint.requests) == 60
    assert {row["applied"] for row in found} == {"proposal"}
    assert {(row["source"], row["model"]) for row in found} == {("model", address(endpoint))}
    assert all(row["answer"] == right(row["prompt"]) for row in found)
    assert all(row["reason"] == "'=its words" for row in found)
    assert not Path("answers/steering.toml").exists()
    assert "check.csv" in told
    assert {row["answer"] for row in check} == {""}
    assert "its words" not in Path("answers/check.csv").read_text(encoding="utf-8")
    kinds = [row["kind"] for row in found if row["answer"] != "cannot tell"]
    drawn = [row["kind"] for row in check]
    assert all(drawn.count(kind) == min(10, kinds.count(kind)) for kind in {*kinds})


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("command", "option"), [("answer", "--model"), ("cluster", "--namer")])
def test_nothing_is_sent_without_agreement(result, command, option):
    start = ("--from", result / "out", "--encoder", "none", "--out", "answers")
    with serving((200, reply)) as endpoint:
        asked = outgroup(command, result / "docs.jsonl", *start, option, address(endpoint), code=2)
    told = " ".join(asked.output.split())
    assert "127.0.0.1" in told
    assert "--yes" in told
    assert not endpoint.requests
    assert not Path("answers").exists()


def test_no_question_is_asked_twice_and_answers_of_another_model_stay(answer):
    with serving((200, reply)) as endpoint:
        model = ("--model", address(endpoint), "--yes", "--json")
        counts = [json.loads(answer(*model, "--most", most).stdout)["asked"] for most in (5, 5, 20, 10)]
        before = Path("answers/answers.csv").read_bytes()
        answer(*model, "--most", 20)
        assert "--out" in answer("--model", f"{address(endpoint)}er", "--yes", "--most", 3, code=2).output
    assert counts == [5, 0, 15, 0]
    assert len(endpoint.requests) == 20
    assert Path("answers/answers.csv").read_bytes() == before


def test_a_run_that_lost_its_model_goes_on(answer):
    with serving(*[(200, reply)] * 10, (401, b"")) as endpoint:
        model = ("--model", address(endpoint), "--yes", "--most", 40)
        told = " ".join(answer(*model).output.split())
        assert "HTTP 401" in told
        assert [row["answer"] for row in rows() if row["error"]] == ["cannot tell"] * 14
        few = len(rows("check.csv"))
        endpoint.answers[:] = [(200, reply)]
        asked = json.loads(answer(*model, "--json").stdout)["asked"]
    assert asked == 30
    assert len(rows("check.csv")) > few  # those of all answers
    assert len(rows()) == 40
    assert not any(row["error"] for row in rows())


def test_an_endpoint_that_never_replies_ends_no_run_with_a_traceback(answer):
    with answering(NOT_ANSWERS["half a header"]) as url:
        record = json.loads(answer("--model", f"{url}#m", "--yes", "--json", "--most", 30).stdout)
    assert (record["questions"], record["asked"], record["failed"]) == (0, 0, 8)
    assert not Path("answers/check.csv").exists()


def test_answers_of_a_model_that_is_right_become_decisions(answer, result):
    with serving((200, reply)) as endpoint:
        answer("--model", address(endpoint), "--yes", "--most", 60)
        asked = len(endpoint.requests)
        record = json.loads(answer("--check", fill_in(), "--json").stdout)
    assert len(endpoint.requests) == asked
    assert record["kinds"]["document"]["agreed"] == record["kinds"]["document"]["checked"]
    sources = [each.get("source", "person") for each in decisions()]
    assert sources.count("person") > 0
    assert record["decisions"] == len(sources)
    model = [row for row in rows() if row["applied"] == "yes"]
    assert record["kinds"]["document"]["passed"]
    assert {row["kind"] for row in model} == {kind for kind, each in record["kinds"].items() if each["passed"]}
    assert not any(row["checked"] for row in model)
    told = printed("cluster", *record["next"].split()[2:], "--quick", "--encoder", "none")
    assert "Not followed" not in told


def test_answers_of_a_model_that_is_wrong_stay_proposals(answer):
    with serving((200, wrong)) as endpoint:
        answer("--model", address(endpoint), "--yes", "--most", 60)
    told = answer("--check", fill_in()).output
    assert "agreed with you in 0 of 10" in told
    assert "model" not in {each.get("source") for each in decisions()}
    assert {row["applied"] for row in rows()} == {"no"}


def test_an_impossible_answer_of_the_person_is_an_error(answer):
    with serving((200, reply)) as endpoint:
        answer("--model", address(endpoint), "--yes", "--most", 12)
    told = " ".join(answer("--check", fill_in(lambda question: "perhaps"), code=2).output.split())
    assert "perhaps" in told
    assert "cannot tell" in told
    assert not Path("answers/steering.toml").exists()


def test_a_file_without_questions_about_the_result_is_an_error(answer):
    Path("other.csv").write_text("id,question,answer\nq1,Is it tea?,one\n")
    assert "other.csv" in answer("--check", "other.csv", code=2).output
    Path("other.csv").write_text("id,text\n1,mine\n")
    assert "'question'; give check.csv" in answer("--check", "other.csv", code=2).output
    assert "--model" in answer(code=2).output


def test_files_of_others_stay_and_the_folder_lies_apart_from_the_documents(answer, result):
    Path("answers").mkdir()
    Path("answers/answers.csv").write_text("id,prompt\n1,mine\n")
    with serving((200, reply)) as endpoint:
        answer("--model", address(endpoint), "--most", 2, "--yes", code=2)
    assert Path("answers/answers.csv").read_text() == "id,prompt\n1,mine\n"
    inside = ("--from", result / "out", "--check", "c.csv", "--out", result / "out/a")
    assert "--out" in outgroup("answer", result / "docs.jsonl", *inside, code=2).output


def test_a_check_that_a_person_fills_in_is_not_replaced(answer):
    with serving((200, reply)) as endpoint:
        answer("--model", address(endpoint), "--yes", "--most", 12)
        Path(fill_in()).replace("answers/check.csv")
        before = Path("answers/check.csv").read_bytes()
        answer("--model", address(endpoint), "--yes", "--most", 30, "--check", "answers/check.csv")
    assert Path("answers/check.csv").read_bytes() == before
