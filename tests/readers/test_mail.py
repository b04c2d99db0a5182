"""Mail: messages and mailboxes by hand, and hostile ones."""

import mailbox
import os
from email.message import EmailMessage

import pytest

from outgroup.readers.corpus import read_corpus
from outgroup.readers.documents import LIMITS, Skip
from outgroup.readers.fields import Fields
from outgroup.readers.mail import message_document

DATE = "Wed, 01 May 2024 12:00:00 +0200"


def message(subject="Tents", text="Which one is light?", **headers):
    made = EmailMessage()
    made["Subject"], made["From"], made["Date"] = subject, "Kim <kim@example.org>", DATE
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(text)
    return made


def read(raw):
    return message_document(raw, "a.eml", Fields())


def test_a_message():
    found = read(message("Zelte für Möwen", "Größe?\n", Message_ID="<7@example.org>").as_bytes())
    assert (found.id, found.title, found.whole) == ("7@example.org", "Zelte für Möwen", "Zelte für Möwen\n\nGröße?\n")
    assert found.columns == {"from": "Kim <kim@example.org>", "to": "", "date": "2024-05-01T12:00:00+02:00"}


def test_a_maildir_is_read_and_a_message_keeps_its_id_when_it_is_marked(tmp_path):
    (tmp_path / "mail").mkdir()
    box = mailbox.Maildir(tmp_path / "mail" / "club")
    box.add(message("Tents"))
    seen = mailbox.MaildirMessage(message("Stoves"))
    seen.set_subdir("cur")
    key = box.add(seen)
    (tmp_path / "mail" / "club" / "tmp" / "17.host").write_bytes(message().as_bytes()[:20])
    (tmp_path / "mail" / "club" / "new" / "notes.txt").write_text("not a message")
    before = read_corpus(tmp_path / "mail")
    assert sorted(before.titles) == ["Stoves", "Tents", "notes.txt"]
    assert before.ids[before.titles.index("Stoves")] == f"club/{key}"
    assert before.labels == ["club"] * 3
    assert [(skip.where, skip.reason) for skip in before.skipped] == [
        ("club/tmp/17.host", "a message that is still being delivered")
    ]
    seen.set_flags("RS")
    box[key] = seen
    assert any(name.endswith(":2,RS") for name in os.listdir(tmp_path / "mail" / "club" / "cur"))
    assert sorted(read_corpus(tmp_path / "mail").ids) == sorted(before.ids)


@pytest.mark.parametrize(
    ("raw", "title", "text"),
    [
        (b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n\nTea", "Grüße", "Tea"),
        (b"Subject: =?nobody?q?Tea?=\n\nTea", "=?nobody?q?Tea?=", "Tea"),
        (b"Subject: a\n folded one\nDate: yesterday\n\nTea", "a folded one", "Tea"),
        ("Subject: Crème\n\nCrème".encode("latin-1"), "Cr\ufffdme", "Crème"),
        (b"Content-Type: text/plain; charset=nobody\n\nTea", "a.eml", "Tea"),
        (b"Content-Transfer-Encoding: base64\n\nVGVh", "a.eml", "Tea"),
        (b"Content-Type: text/html\n\n<style>x</style><p>Tea<p>Green", "a.eml", "Tea\nGreen"),
        (b"no header at all", "a.eml", ""),
        (b"", "a.eml", ""),
    ],
)
def test_odd_messages(raw, title, text):
    found = read(raw)
    assert (found.title, found.text) == (title, text) or found.text == raw.decode()


def mailbox_at(path, messages):
    box = mailbox.mbox(path)
    for each in messages:
        box.add(each)
    box.close()
    return path


def test_a_message_that_is_too_long_is_skipped_and_the_next_is_read(tmp_path, monkeypatch):

    monkeypatch.setitem(vars(LIMITS), "document", 1000)
    path = mailbox_at(tmp_path / "a.mbox", [message("One", "tea\n" * 1000), message("Two")])
    corpus = read_corpus(path)
    assert corpus.titles == ["Two"]
    assert corpus.skipped == [Skip("message 1", LIMITS.too_long)]
