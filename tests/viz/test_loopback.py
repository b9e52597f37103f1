"""The viewer's server: who can reach it, what it serves, and what its messages can do."""

from __future__ import annotations

import contextlib
import http.client
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd.viz import Viewer
from rbd.viz.loopback import is_own_page
from tests.viz import pages
from tests.viz.pages import port_of

viser: Any = pytest.importorskip("viser", reason="the extra `viz` is not installed")


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    with Viewer(rbd.robots.double_pendulum(), port=0) as made:
        yield made


def eventually(holds: Callable[[], bool]) -> bool:
    """Return whether something holds within ten seconds."""
    end = time.monotonic() + 10
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return holds()


def clients(viewer: Viewer) -> dict[int, Any]:
    """Return the pages that are open."""
    found: dict[int, Any] = viewer._server.get_clients()  # pyright: ignore[reportPrivateUsage]
    return found


def slider(viewer: Viewer) -> Any:
    """Return viser's handle of the first joint's slider."""
    return viewer._panel._sliders[0][1]  # type: ignore[attr-defined]  # pyright: ignore  # what a page moves


def move(viewer: Viewer, value: float) -> Any:
    """Return the message with which a page moves the first slider."""
    return viser._messages.GuiUpdateMessage(slider(viewer)._impl.uuid, {"value": value})


# -------------------------------------------------------------------- the address


def test_listens_at_one_loopback_address(viewer: Viewer) -> None:
    assert viewer.url.startswith("http://127.0.0.1:")
    assert get(viewer, "/")[0] == 200


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all addresses of 127.0.0.0/8")
def test_no_other_address_is_listened_at(viewer: Viewer) -> None:
    with pytest.raises(ConnectionRefusedError):  # a server at 0.0.0.0 would be here, too
        socket.create_connection(("127.0.0.2", port_of(viewer)), timeout=5)
    if socket.has_ipv6:
        with pytest.raises(OSError, match=r"refused|assign|unreachable|not supported"):
            socket.create_connection(("::1", port_of(viewer)), timeout=5)


def test_one_thread_wakes_what_sends_messages(viewer: Viewer) -> None:
    """asyncio's events are not made for several threads; setting one in two raises RuntimeError now and then."""
    setters: set[threading.Thread] = set()

    class Waiters(deque[Any]):
        def __iter__(self) -> Iterator[Any]:
            setters.add(threading.current_thread())
            return super().__iter__()

    infra: Any = viewer._server._websock_server  # pyright: ignore[reportPrivateUsage]
    with pages.open_page(viewer) as page:
        pages.receive_all(page)
        (client,) = clients(viewer).values()
        for handler in (infra, client._websock_connection):
            event = handler.get_message_buffer().message_event
            event._waiters = Waiters(event._waiters)
        viewer.look((5, 5, 5))
        viewer.show(rbd.MechanismState(viewer._state.mechanism, [0.1, 0.2]))  # pyright: ignore[reportPrivateUsage]
        assert pages.receive_all(page)
    assert setters == {infra._server_thread}


def test_waiting_for_a_page_ends_when_one_is_open(viewer: Viewer) -> None:
    assert not viewer.wait_for_page(0.01)
    with pages.open_page(viewer):
        assert viewer.wait_for_page(60.0)


# -------------------------------------------------------------------- files


def get(viewer: Viewer, path: str) -> tuple[int, bytes]:
    """Return the status and the body of an answer once the server has closed the connection."""
    with socket.create_connection(("127.0.0.1", port_of(viewer)), timeout=10) as end:
        connection = http.client.HTTPConnection("127.0.0.1", port_of(viewer))
        connection.sock = end.dup()
        try:
            connection.putrequest("GET", path, skip_host=False, skip_accept_encoding=True)
            connection.endheaders()
            answer = connection.getresponse()
            found = answer.status, answer.read()
        finally:
            connection.close()
        assert end.recv(1) == b""
        return found


def test_the_page_is_the_only_file(viewer: Viewer) -> None:
    client = Path(viser.__file__).parent / "client" / "build"
    assert [path.name for path in client.rglob("*") if path.is_file()] == ["index.html"]
    assert get(viewer, "/") == (200, (client / "index.html").read_bytes())


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "//etc/passwd",
        "/../../../../../../../../etc/passwd",
        "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/..%5c..%5c..%5c..%5cetc%5cpasswd",
        "/../../__init__.py",
        "/./../index.html",
        "/index.html/../../../__init__.py",
        "/%00",
    ],
)
def test_other_paths_are_not_found(viewer: Viewer, path: str) -> None:
    status, body = get(viewer, path)
    assert status in (404, 500)  # 500: no path of the file system
    assert b"root:" not in body
    assert b"import" not in body


# -------------------------------------------------------------------- other pages


@given(host=st.sampled_from(["127.0.0.1", "localhost", "[::1]"]), port=st.integers(0, 65535))
def test_pages_of_the_own_address_are_own(host: str, port: int) -> None:
    assert is_own_page(f"http://{host}:{port}", f"{host}:{port}")
    assert not is_own_page(f"http://{host}:{port}", f"{host}:{port + 1}")


@given(origin=st.text(), host=st.text())
def test_no_other_page_is_own(origin: str, host: str) -> None:
    assert not is_own_page(origin, host)
    assert not is_own_page(f"http://{host}.example:80", f"{host}.example:80")
    assert not is_own_page(f"http://127.0.0.1.{host}", f"127.0.0.1.{host}")


def test_the_own_page_sees_and_moves(viewer: Viewer) -> None:
    with pages.open_page(viewer) as page:
        assert page.recv(timeout=10)
        assert eventually(lambda: bool(clients(viewer)))
        pages.send(page, move(viewer, 0.5))
        assert eventually(lambda: viewer.q[0] == 0.5)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://example.com", "127.0.0.1"),
        ("https://127.0.0.1.example.com", "127.0.0.1"),
        ("http://127.0.0.1:1", "127.0.0.1"),
        ("null", "127.0.0.1"),
        ("http://rebound.example:{port}", "rebound.example"),  # a name that resolves to 127.0.0.1
    ],
)
def test_other_pages_see_and_move_nothing(viewer: Viewer, origin: str, host: str) -> None:
    from websockets.exceptions import ConnectionClosed

    page = pages.open_page(viewer, origin.format(port=port_of(viewer)), host)
    with contextlib.suppress(ConnectionClosed):
        pages.send(page, move(viewer, 0.5))
    with pytest.raises(ConnectionClosed):  # nothing arrives before
        page.recv(timeout=10)
    assert page.close_code == 1008
    with pages.open_page(viewer) as own:  # later than the message above
        assert eventually(lambda: bool(clients(viewer)))
        pages.send(own, move(viewer, 0.25))
        assert eventually(lambda: viewer.q[0] != 0)
    assert viewer.q[0] == 0.25
    assert len(viewer._server._websock_server._client_state_from_id) <= 1  # pyright: ignore[reportPrivateUsage]


# -------------------------------------------------------------------- messages


def test_nothing_is_shared_on_the_internet(viewer: Viewer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def tunnel(*arguments: object) -> None:
        asked.append(arguments)

    monkeypatch.setattr(viser._viser, "ViserTunnel", tunnel)
    with pages.open_page(viewer) as page:
        assert eventually(lambda: bool(clients(viewer)))
        pages.send(page, viser._messages.ShareUrlRequest())
        pages.send(page, move(viewer, 0.5))  # handled after the request
        assert eventually(lambda: viewer.q[0] == 0.5)
    assert viewer._server.request_share_url() is None  # pyright: ignore[reportPrivateUsage]
    assert asked == []


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300, -4.0])
def test_values_beyond_the_range_of_a_slider_are_refused(viewer: Viewer, value: float) -> None:
    with pages.open_page(viewer) as page:
        assert eventually(lambda: bool(clients(viewer)))
        pages.send(page, move(viewer, value))
        pages.send(page, viser._messages.GuiUpdateMessage(viewer._panel._sliders[1][1]._impl.uuid, {"value": 0.5}))  # type: ignore[attr-defined]
        assert eventually(lambda: viewer.q[1] == 0.5)
    assert viewer.q[0] == 0
