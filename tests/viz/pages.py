"""Websockets to a viewer, as pages of a browser open them; a motion to play. viser and its packages may be missing."""

from __future__ import annotations

import contextlib
import socket
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import rbd
from rbd.viz import Viewer


def port_of(viewer: Viewer) -> int:
    """Return the port of a viewer."""
    port = urlsplit(viewer.url).port
    assert port is not None
    return port


def uniform_motion(mechanism: rbd.Mechanism) -> rbd.Trajectory:
    """Return a motion of one second in which all coordinates are the time."""
    t = np.linspace(0.0, 1.0, 11)
    return rbd.Trajectory(t, np.tile(t[:, None], mechanism.nq), np.ones((len(t), mechanism.nv)))


def open_page(viewer: Viewer, origin: str | None = None, host: str = "127.0.0.1") -> Any:
    """Return the websocket of a page at `origin`, by default the viewer's own, which calls the server `host`."""
    viser: Any = import_module("viser")
    page = import_module("websockets.sync.client").connect(
        f"ws://{host}:{port_of(viewer)}",
        sock=socket.create_connection(("127.0.0.1", port_of(viewer)), timeout=10),
        origin=origin or viewer.url,
        subprotocols=[f"viser-v{viser.__version__}"],
        compression=None,
    )
    camera = viser._messages.ViewerCameraMessage(  # with it viser takes it for a page that is drawn
        wxyz=(1, 0, 0, 0), position=(1, 1, 1), fov=1.0, near=0.1, far=10.0, image_height=100, image_width=100,
        look_at=(0, 0, 0), up_direction=(0, 0, 1),
    )  # fmt: skip
    with contextlib.suppress(import_module("websockets.exceptions").ConnectionClosed):
        send(page, camera)
    return page


def send(page: Any, message: Any) -> None:
    """Send one of viser's messages."""
    page.send(import_module("msgspec.msgpack").encode(message.as_serializable_dict()))


def receive_all(page: Any) -> list[bytes]:
    """Return the messages of the server, of which there is one, until no further one comes."""
    received: list[bytes] = [page.recv(timeout=60.0)]
    with contextlib.suppress(TimeoutError):
        while True:
            received.append(page.recv(timeout=1.0))
    return received
