"""Who is refused by the studio, and what cannot be asked of it."""

from __future__ import annotations

import http.client
import json
from contextlib import ExitStack

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from pellucid.studio.guard import MAX_WRONG
from pellucid.studio.server import MAX_MESSAGE, MAX_TABS


def get(studio, path="/", **headers):
    """Status, headers and body of a request."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=10)
    method = headers.pop("method", "GET")
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def tab(studio, cookie, **changed):
    asked = {"origin": f"http://127.0.0.1:{studio.port}", "additional_headers": {"Cookie": cookie}}
    return connect(f"ws://127.0.0.1:{studio.port}/socket", proxy=None, **{**asked, **changed})


def test_the_page_has_a_policy_and_needs_the_cookie(shared, cookie):
    studio = shared
    status, headers, body = get(studio, Cookie=cookie)
    assert status == 200
    assert b"pellucid studio" in body
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert get(studio)[0] == 403
    assert get(studio, Cookie=cookie + "x")[0] == 403
    assert get(studio, "/files")[0] == 403


def test_the_token_becomes_a_cookie_of_this_page_only(studio):
    status, headers, _ = get(studio, f"/?token={studio.token}")
    assert (status, headers["location"]) == (303, "./")
    assert "HttpOnly; SameSite=Strict" in headers["set-cookie"]


def test_a_token_opens_one_browser_once(studio):
    assert get(studio, "/?token=wrong")[0] == 403
    assert get(studio, f"/?token={studio.token}")[0] == 303
    assert get(studio, f"/?token={studio.token}")[0] == 403


def test_another_name_of_this_machine_is_refused(shared, cookie):
    studio = shared
    for host in (
        "evil.example",
        f"evil.example:{studio.port}",
        "127.0.0.1",
        f"127.0.0.1:{studio.port}.evil.example",
        "",
    ):
        assert get(studio, Host=host, Cookie=cookie)[0] in {400, 421}
    assert get(studio, Host=f"localhost:{studio.port}", Cookie=cookie)[0] == 200


def test_another_page_is_refused(shared, cookie):
    studio = shared
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{studio.port}", "http://127.0.0.1:1"):
        assert get(studio, Cookie=cookie, Origin=origin)[0] == 403
        with pytest.raises(InvalidStatus):
            tab(studio, cookie, origin=origin)
    assert get(studio, Cookie=cookie, Sec_Fetch_Site="cross-site")[0] == 403
    with pytest.raises(InvalidStatus):
        tab(studio, cookie, origin=None)
    with pytest.raises(InvalidStatus):
        tab(studio, "")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_but_reading_is_offered(shared, cookie, method):
    studio = shared
    assert get(studio, method=method, Cookie=cookie)[0] == 405


def test_a_request_has_no_body(shared, cookie):
    studio = shared
    assert get(studio, Cookie=cookie, Content_Length="5")[0] == 413


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../index.html",
        "/assets/..%2f..%2fserver.py",
        "/assets/%2e%2e/%2e%2e/server.py",
        "/../../etc/passwd",
        "/assets//etc/passwd",
    ],
)
def test_no_file_of_the_machine_is_served(shared, cookie, path):
    studio = shared
    assert get(studio, path, Cookie=cookie)[0] == 404


def test_guessing_is_slowed_down(studio):
    cookie = studio.admitted()
    statuses = [get(studio, "/?token=guess")[0] for _ in range(MAX_WRONG + 3)]
    assert statuses[:MAX_WRONG] == [403] * MAX_WRONG
    assert statuses[MAX_WRONG:] == [429] * 3
    assert get(studio, Cookie=cookie)[0] == 200


def heard(socket, kind):
    for _ in range(50):
        message = socket.recv(timeout=10)
        if isinstance(message, str) and json.loads(message)["kind"] == kind:
            return json.loads(message)
    raise AssertionError(kind)


def flood(socket, messages):
    """Send messages, and wait until the socket is closed."""
    for message in messages:
        socket.send(message)
    while True:
        socket.recv(timeout=10)


def test_a_name_that_leads_out_of_the_folder_opens_nothing(shared, cookie):
    studio, file = shared, shared.folder / "picture.py"
    (file.parent.parent / "secret.py").write_text("secret = 1\n", "utf-8")
    (file.parent / "link.py").symlink_to(file.parent.parent / "secret.py")
    for name in ("../secret.py", "%2e%2e/secret.py", "link.py", "/etc/hosts.py"):
        with connect(
            f"ws://127.0.0.1:{studio.port}/socket?file={name}", proxy=None,
            origin=f"http://127.0.0.1:{studio.port}", additional_headers={"Cookie": cookie},
        ) as socket:  # fmt: skip
            assert "outside" in heard(socket, "refused")["text"]


def test_messages_that_make_no_sense_are_told_and_change_nothing(shared, cookie):
    studio, file = shared, shared.folder / "picture.py"
    before = file.read_bytes()
    with tab(studio, cookie) as socket:
        epoch = heard(socket, "document")["epoch"]
        for message in ("", "[]", "{", "[" * 100_000, '{"kind": "fly"}', '{"kind": "push"}'):
            socket.send(message)
            assert heard(socket, "refused")["text"]
        socket.send(
            json.dumps(
                {"kind": "push", "epoch": epoch, "version": 0, "updates": [{"changes": [1], "clientID": "a"}]}
            )
        )
        assert "another text" in heard(socket, "refused")["text"]
        socket.send(json.dumps({"kind": "frame", "size": [10**9, 10**9]}))
        told = socket.recv(timeout=10)
        while isinstance(told, str):
            told = socket.recv(timeout=10)
        assert b"trouble" in told
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "asked",
    [
        {"edit": "read"},
        {"edit": ["wrap"]},
        {"edit": "wrap", "given": None},
        {"edit": "wrap", "given": {"word": []}},
        {"edit": "wrap", "given": {"word": "swirl", "document": 1}},
        {"edit": "wrap", "node": "1", "given": {"word": "swirl"}},
        {"edit": "wrap", "node": 10**30, "given": {"word": "swirl"}},
        {"edit": "wrap", "version": 10**6, "given": {"word": "swirl"}},
        {"edit": "replace", "given": {"text": "("}},
        {"edit": "replace", "given": {"text": "x" * 200_000}},
        {"edit": "replace", "given": {"text": {}}},
        {"edit": "set_literal", "given": {"value": 10**400}},
        {"edit": "set_literal", "given": {"value": float("inf")}},
        {"edit": "make_parameter", "given": {"low": 10**400}},
        {"edit": "extract", "given": {"name": "a; import os"}},
        {"kind": "offers", "node": None},
        {"kind": "offers", "node": []},
        {"kind": "probe", "point": [1], "local": [0, 0], "time": 0},
        {"kind": "probe", "point": [10**400, 0], "local": [0, 0], "time": 0},
        {"kind": "probe", "point": [0, 0], "local": [0, 0], "time": float("nan")},
        {"kind": "probe", "point": [0, 0], "local": [0, 0], "time": 0, "params": [1]},
        {"kind": "variations", "changes": None},
        {"kind": "variations", "changes": [5]},
        {"kind": "variations", "changes": [[{"start": float("inf"), "end": 0, "text": ""}]]},
        {"kind": "snapshot", "name": " ", "text": ""},
        {"kind": "snapshot", "name": "a", "text": 5},
        {"kind": "snapshot", "name": "a", "text": "x" * 200_000},
        {"kind": "export", "format": ["png"]},
        {"kind": "export", "format": "png", "width": 1, "height": 1, "center": 0, "zoom": 1, "time": 0},
    ],
)
def test_an_edit_that_makes_no_sense_is_refused_in_words(shared, cookie, asked):
    before = (shared.folder / "picture.py").read_bytes()
    with tab(shared, cookie) as socket:
        told = heard(socket, "reading")
        number = next(n["identity"] for n in told["tree"]["nodes"].values() if n["value"] == 0.6)
        message = {"kind": "edit", "ask": 1, "version": told["version"], "node": number, "given": {}, **asked}
        socket.send(json.dumps(message))
        assert heard(socket, "refused")["text"]
        socket.send('{"kind": "thumbnails"}')
        assert socket.recv(timeout=60)
    assert (shared.folder / "picture.py").read_bytes() == before


def test_a_file_that_was_not_exported_is_not_fetched(shared, cookie):
    for key in ("", "a", "../picture.py"):
        assert get(shared, f"/exported?key={key}", Cookie=cookie)[0] == 404


def test_a_message_that_is_too_long_ends_its_tab_only(shared, cookie):
    studio = shared
    with tab(studio, cookie) as other:
        heard(other, "document")
        with tab(studio, cookie) as socket, pytest.raises(ConnectionClosed):
            flood(socket, ["x" * (MAX_MESSAGE + 1)])
        other.send('{"kind": "fly"}')
        assert heard(other, "refused")


def test_a_tab_that_floods_is_closed_and_others_are_not(shared, cookie):
    studio = shared
    with tab(studio, cookie) as other:
        heard(other, "document")
        with tab(studio, cookie) as socket, pytest.raises(ConnectionClosed):
            flood(socket, ['{"kind": "leave"}'] * 5000)
        other.send('{"kind": "fly"}')
        assert heard(other, "refused")


def test_two_hundred_sockets_are_not_too_many_to_go_on(shared, cookie):
    studio = shared
    refused = 0
    with ExitStack() as open_sockets:
        for _ in range(200):
            try:
                open_sockets.enter_context(tab(studio, cookie))
            except InvalidStatus:
                refused += 1
    assert refused == 200 - MAX_TABS
    with tab(studio, cookie) as socket:
        assert heard(socket, "document")
