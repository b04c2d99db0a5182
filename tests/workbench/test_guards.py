"""The guards, asked as browsers and others would ask them: rebinding, foreign pages, missing keys, large bodies."""

import base64

import pytest

pytest.importorskip("starlette", reason="needs the extra workbench")
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from outgroup.workbench.guards import BODY, Guards, Hosts, Keys, WrongPasswords

HOST = "127.0.0.1:8700"
OWN = {"sec-fetch-site": "same-origin", "origin": f"http://{HOST}"}


async def echo(request):
    return JSONResponse(await request.json() if request.method == "POST" else {"path": request.url.path})


def client(keys=None, entered=True):
    app = Starlette(routes=[Route("/{rest:path}", echo, methods=["GET", "POST"])])
    keys = keys or Keys()
    hosts = Hosts(frozenset({"127.0.0.1", "localhost"}), 8700)
    browser = TestClient(Guards(app, keys, hosts), base_url=f"http://{HOST}", follow_redirects=False)
    if entered:
        assert browser.get("/", params={"token": keys.token}).status_code == 303
    return browser


def test_the_token_opens_once_and_becomes_a_cookie_that_scripts_cannot_read():
    keys = Keys()
    token, first = keys.token, client(keys, entered=False)
    answer = first.get("/", params={"token": token})
    assert answer.headers["location"] == "/"
    assert {"HttpOnly", "SameSite=Lax"} <= set(answer.headers["set-cookie"].split("; "))
    assert token not in answer.headers["set-cookie"]
    assert first.get("/").json() == {"path": "/"}
    second = client(keys, entered=False)
    assert second.get("/", params={"token": token}).status_code == 403
    assert second.get("/", params={"token": ""}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:8700.evil.example", "127.0.0.1:1", ""])
def test_a_name_that_was_bound_to_this_machine_is_refused(host):
    assert client().get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "host",
    [
        *("10.0.0.7", "10.0.0.7:80", "10.0.0.7:8700:8700", "::1:8700", "[10.0.0.7]:8700", "[::1:8700", "0x7f.1:8700"),
        *("evil.example:8700", "10.0.0.7.evil.example:8700", ":8700", "[]:8700", "", "8700"),
    ],
)
def test_a_server_at_all_addresses_answers_to_no_other_name_or_port(host):
    assert host not in Hosts(frozenset({"lab.example"}), 8700, any_address=True)


@pytest.mark.parametrize("cookie", ["", "x", "outgroup-8700=", "outgroup-8700=guess", "outgroup-8700=\u00e4"])
def test_without_the_cookie_nothing_is_shown(cookie):
    answer = client(entered=False).get("/api/state", headers={"cookie": cookie.encode("latin-1")})
    assert answer.status_code == 403
    assert "outgroup workbench" in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site", "origin": "http://evil.example"},
        {"sec-fetch-site": "same-site", "origin": f"http://{HOST}"},
        {"sec-fetch-site": "same-origin", "origin": "http://evil.example"},
        {"origin": "http://evil.example"},
        {},
    ],
)
def test_another_page_changes_nothing(headers):
    assert client().post("/api/decide", json={}, headers=headers).status_code == 403


def test_only_json_and_not_much_of_it():
    browser = client()
    assert browser.post("/api/decide", content=b"a=b", headers=OWN).status_code == 415
    form = {**OWN, "content-type": "text/plain"}
    assert browser.post("/api/decide", content=b"{}", headers=form).status_code == 415
    large = {"x": "y" * BODY}
    assert browser.post("/api/decide", json=large, headers=OWN).status_code == 413


def test_every_answer_is_guarded_and_none_is_for_other_pages():
    browser = client()
    for answer in (browser.get("/"), browser.get("/", headers={"host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert not any(name.startswith("access-control") for name in answer.headers)


# Cookies that other programs at 127.0.0.1 may set, as browsers send them with ours between two of them.
OTHERS = ['prefs={"a":"b"}', "=", "a=[1, 2]", "a=\\", 'a="', "a@b=c", "$Version=1", "a=\u00fc", "<a>=b", "path=/"]


@pytest.mark.parametrize("other", [*OTHERS, "a=b; ;", "outgroup-8700=guess"])
def test_cookies_of_other_programs_lock_nobody_out(other):
    keys = Keys()
    browser = client(keys, entered=False)
    line = f"{other}; outgroup-8700={keys.cookie}; {other}".encode("latin-1")
    assert browser.get("/", headers={"cookie": line}).status_code == 200


def test_the_token_is_spent_by_the_first_request_with_the_cookie():
    keys = Keys()
    token = {"token": keys.token}
    failed = client(keys, entered=False)
    assert failed.get("/", params=token, headers={"cookie": "x"}).status_code == 303
    assert failed.get("/", headers={"cookie": "a=b"}).status_code == 403  # the browser lost it
    browser = client(keys)
    assert browser.get("/").status_code == 200
    assert client(keys, entered=False).get("/", params=token).status_code == 403


def test_a_header_that_is_repeated_is_not_the_last_of_its_values():
    own = f"http://{HOST}"
    for headers in (
        [("origin", "http://evil.example"), ("origin", own)],
        [("origin", own), ("origin", own)],
        [("sec-fetch-site", "cross-site"), ("sec-fetch-site", "same-origin")],
    ):
        assert client().post("/api/decide", json={}, headers=headers).status_code == 403


def basic(said):
    return {"authorization": "Basic " + base64.b64encode(said.encode()).decode()}


def test_a_password_stands_in_for_the_token():
    browser = client(Keys(password="a cup of tea"), entered=False)
    assert browser.get("/").status_code == 401
    assert browser.get("/", headers={"authorization": b"Basic \xff"}).status_code == 401
    assert browser.get("/", headers=basic("anyone:a cup of tea")).status_code == 200
    browser.cookies.clear()
    assert browser.get("/", headers=basic("a cup of tea")).status_code == 401


def test_after_a_wrong_password_the_right_one_waits_and_the_cookie_does_not():
    keys = Keys(password="a cup of tea")
    right, known = basic("anyone:a cup of tea"), client(keys, entered=False)
    assert known.get("/", headers=right).status_code == 200
    other = TestClient(known.app, base_url=f"http://{HOST}")
    assert other.get("/", headers=basic("anyone:coffee")).status_code == 401
    locked = other.get("/", headers=right)
    assert locked.status_code == 429
    assert int(locked.headers["retry-after"]) == 1
    assert known.get("/").status_code == 200  # by the cookie that it got


def test_wrong_passwords_wait_longer_each_time_by_network():
    now = [0.0]
    wrong, waits = WrongPasswords(clock=lambda: now[0]), []
    for guess in range(12):
        wrong.add("10.0.0.1", str(guess))
        waits.append(wrong.wait("10.0.0.1"))
        now[0] += waits[-1]
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    assert wrong.wait("10.0.0.2") == 0
    wrong.add("10.0.0.1", "11")  # once more
    assert wrong.wait("10.0.0.1") == 300
    wrong.forget("10.0.0.1")
    wrong.add("10.0.0.1", "1")
    wrong.add("10.0.0.1", "1")
    assert wrong.wait("10.0.0.1") == 1
    wrong.add("2001:db8::1", "1")
    assert wrong.wait("2001:db8::ffff") == 1
    assert wrong.wait("::ffff:10.0.0.1") == 1
    assert wrong.wait("::ffff:10.0.0.2") == 0
