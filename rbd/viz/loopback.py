"""Web server of viewers: viser, for this machine only.

viser serves a page with one file, its client, and a websocket. Other web pages that are open in the same browser could
connect to the websocket, too: it accepts connections only from pages of its own address, and from loopback addresses
(a page cannot forge its `Origin`, so names that resolve to 127.0.0.1 do not help). viser's tunnel to a server on the
internet, which any page could ask for, is switched off.

viser sets its events, of asyncio, in any thread. That may fail while a page begins to wait ("deque mutated during
iteration"), and then the page never gets what follows. Since viser sets them in the thread of the server, too, they are
replaced by events that ignore other threads.
"""

# viser's callbacks are coroutines of any type:
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import threading
import time
from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING, Final, final

from typing_extensions import override

from rbd.extras import requires_extra

if TYPE_CHECKING:
    from viser import ClientHandle, ViserServer
    from viser.infra import WebsockClientConnection, WebsockMessageHandler, WebsockServer

HOST: Final = "127.0.0.1"
_LOOPBACK: Final = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?\Z")


def is_own_page(origin: str | None, host: str | None) -> bool:
    """Return whether a websocket is opened by a page of the address it connects to, which must be of loopback.

    >>> is_own_page("http://127.0.0.1:8080", "127.0.0.1:8080")
    True
    >>> is_own_page("http://example.com", "127.0.0.1:8080"), is_own_page(None, "127.0.0.1:8080")
    (False, False)
    """
    return host is not None and _LOOPBACK.match(host) is not None and origin in (f"http://{host}", f"https://{host}")


@requires_extra("viewers")
def start_server(port: int, label: str) -> ViserServer:
    """Return viser's server, running at 127.0.0.1 and this port or the next one that is free; 0 is any free one."""
    import viser

    logging.getLogger("websockets.server").addFilter(_is_logged)
    with _quiet():
        server = viser.ViserServer(host=HOST, port=port, label=label, verbose=False)
    server.request_share_url = _refuse_share_url  # type: ignore[method-assign]  # viser has no other way
    websockets = _websocket_server(server)
    _set_events_in_one_thread(websockets, websockets)
    websockets.on_client_connect(partial(_admit, websockets))
    websockets.disconnect_all_clients()  # pages that were faster than the line before come again
    return server


def stop_server(server: ViserServer) -> None:
    """Stop a server and close its connections."""
    with _quiet():
        server.stop()


def send_script(to: ViserServer | ClientHandle, source: str) -> None:
    """Send a script to one page, or to all pages of a server, also those that open later."""
    from viser import ClientHandle
    from viser._messages import RunJavascriptMessage

    page = to._websock_connection if isinstance(to, ClientHandle) else _websocket_server(to)  # pyright: ignore[reportPrivateUsage]
    page.queue_message(RunJavascriptMessage(source))


def wait_until_sent(server: ViserServer, client: int, end: float) -> None:
    """Wait until a page has been sent all messages to all pages so far; raise TimeoutError at the time `end`."""
    buffer = _websocket_server(server).get_message_buffer()
    last = buffer.message_counter - 1
    while client in server.get_clients() and buffer.generator_cursors.get(client, -1) < last:
        if time.monotonic() > end:
            raise TimeoutError("it did not take all parts of the scene")
        time.sleep(0.002)


def _websocket_server(server: ViserServer) -> WebsockServer:
    return server._websock_server  # pyright: ignore[reportPrivateUsage]  # viser has no other way


@final
class _EventOfThread(asyncio.Event):
    """An event that only one thread sets."""

    def __init__(self, thread: threading.Thread | None) -> None:
        super().__init__()
        self._thread = thread

    @override
    def set(self) -> None:
        if threading.current_thread() is self._thread:
            super().set()


def _set_events_in_one_thread(server: WebsockServer, handler: WebsockMessageHandler) -> None:
    """Let only the server's thread wake the sender of a handler's messages."""
    thread = server._server_thread  # pyright: ignore[reportPrivateUsage]  # viser has no other way
    handler.get_message_buffer().message_event = _EventOfThread(thread)


async def _admit(server: WebsockServer, client: WebsockClientConnection) -> None:
    """Close the connection of a foreign page, and end its handler, which would read what has arrived."""
    number = client.client_id
    connections = server._live_connections  # pyright: ignore[reportPrivateUsage]  # viser has no other way
    request = connections[number].request
    if request is not None and is_own_page(request.headers.get("Origin"), request.headers.get("Host")):
        _set_events_in_one_thread(server, client)
        return
    await connections.pop(number).close(1008, "connections of other pages are refused")
    server._client_state_from_id.pop(number)  # pyright: ignore[reportPrivateUsage]  # as viser's handler does
    raise asyncio.CancelledError


def _is_logged(record: logging.LogRecord) -> bool:
    """Return False for connections that browsers open in advance, and close unused."""
    return record.getMessage() != "opening handshake failed"


def _refuse_share_url(verbose: bool = True) -> str | None:
    return None


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """Keep viser's messages off standard output."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
