"""The guards, asked as browsers and others would ask them: rebinding, foreign pages, missing keys, large bodies."""

import base64

import pytest

pytest.importorskip("starlette", reason="needs the extra workbench")
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from outgroup.workbench.guards import LARGEST_BODY, Guards, Keys

HOST = "127.0.0.1:8700"
OWN = {"sec-fetch-site": "same-origin", "origin": f"http://{HOST}"}


async def echo(request):
    return JSONResponse(await request.json() if request.method == "POST" else {"path": request.url.path})


def client(keys=None, entered=True):
    app = Starlette(routes=[Route("/{rest:path}", echo, methods=["GET", "POST"])])
    keys = keys or Keys()
    browser = TestClient(Guards(app, keys, {HOST, "localhost:8700"}), base_url=f"http://{HOST}", follow_redirects=False)
    if entered:
        assert browser.get("/", params={"token": keys.token}).status_code == 303
    return browser


def test_the_token_opens_once_and_becomes_a_cookie_that_scripts_cannot_read():
    keys = Keys()
    token, first = keys.token, client(keys, entered=False)
    answer = first.get("/", params={"token": token})
    assert answer.headers["location"] == "/"
    assert {"HttpOnly", "SameSite=Strict"} <= set(answer.headers["set-cookie"].split("; "))
    assert token not in answer.headers["set-cookie"]
    assert first.get("/").json() == {"path": "/"}
    second = client(keys, entered=False)
    assert second.get("/", params={"token": token}).status_code == 403
    assert second.get("/", params={"token": ""}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:8700.evil.example", "127.0.0.1:1", ""])
def test_a_name_that_was_bound_to_this_machine_is_refused(host):
    assert client().get("/", headers={"host": host}).status_code == 421


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
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-origin", "origin": "http://evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {},
    ],
)
def test_another_page_changes_nothing(headers):
    assert client().post("/api/decide", json={}, headers=headers).status_code == 403


@pytest.mark.parametrize("headers", [OWN, {"sec-fetch-site": "same-origin"}, {"origin": f"http://{HOST}"}])
def test_the_own_page_does(headers):
    answer = client().post("/api/decide", json={"kind": "undo"}, headers=headers)
    assert answer.json() == {"kind": "undo"}


def test_only_json_and_not_much_of_it():
    browser = client()
    assert browser.post("/api/decide", content=b"a=b", headers=OWN).status_code == 415
    form = {**OWN, "content-type": "text/plain"}
    assert browser.post("/api/decide", content=b"{}", headers=form).status_code == 415
    large = {"x": "y" * LARGEST_BODY}
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


def test_a_password_stands_in_for_the_token():
    browser = client(Keys(password="tea"), entered=False)
    assert browser.get("/").status_code == 401
    for said, status in (("anyone:tea", 200), ("anyone:coffee", 401), ("tea", 401)):
        header = {"authorization": "Basic " + base64.b64encode(said.encode()).decode()}
        assert browser.get("/", headers=header).status_code == status
