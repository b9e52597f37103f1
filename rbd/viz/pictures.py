"""Pictures and films of a viewer's scene, drawn by a browser: PNG, JPEG, GIF, MP4.

Chromium without a window draws them, and stays until the viewer is closed; otherwise a browser in which the page is
open does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from rbd.arguments import require_choice
from rbd.atomic_files import replaced_file
from rbd.errors import ViewerError
from rbd.extras import requires_extra
from rbd.scalars.arrays import Array
from rbd.viz.browser import HeadlessBrowser, find_browser
from rbd.viz.loopback import wait_until_sent
from rbd.viz.poses import quaternions

if TYPE_CHECKING:
    from viser import ClientHandle, ViserServer

Pixels: TypeAlias = NDArray[np.uint8]
Size: TypeAlias = tuple[int, int]

PICTURES: Final = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}
FILMS: Final = (".gif", ".mp4")
_RENDER_ATTEMPTS: Final = 3
_SETTLING_IMAGES: Final = 12
"""Maximum number of images to wait for three equal ones."""
_PAUSE: Final = 0.1
"""Between images (s): the page builds new parts of the scene after it has received them."""
_WINDOW: Final = (800, 600)
"""The smallest window: in a smaller one the panel covers the scene, which is not drawn then."""
_ALL_PIXELS: Final = "/?fixedDpr=1"
"""Query of a page that never draws fewer pixels than its window has: pictures would be blurred."""
FIELD_OF_VIEW: Final = 0.6
"""Vertical field of view (rad)."""


def check_suffix(path: Path, allowed: tuple[str, ...]) -> None:
    """Raise ArgumentError unless a path has one of these suffixes."""
    require_choice(path.suffix.lower(), allowed, "path", "format of files")


@final
class Camera:
    """Camera that draws the scene of a server as images, by a browser."""

    def __init__(self, server: ViserServer, url: str) -> None:
        self._server, self._url = server, url
        self._browser: HeadlessBrowser | None = None
        self._client: ClientHandle | None = None
        self._lock = threading.Lock()
        self._eye, self._aim = np.ones(3), np.zeros(3)

    def look(self, eye: Array, aim: Array) -> None:
        """Look from a point to another, here and in all browsers."""
        self._eye, self._aim = eye, aim
        start = self._server.initial_camera
        start.position, start.look_at, start.fov = eye, aim, FIELD_OF_VIEW
        for client in self._server.get_clients().values():
            client.camera.position, client.camera.look_at = eye, aim

    def pixels(self, size: Size, timeout: float) -> Pixels:
        """Return the scene as an image (height, width, 3) on white; raise ViewerError if nothing draws it in time."""
        with self._lock:
            image = self._render(size, time.monotonic() + timeout, _RENDER_ATTEMPTS)
        share = image[..., 3:].astype(np.float64) / 255
        return np.asarray(image[..., :3] * share + 255 * (1 - share) + 0.5, dtype=np.uint8)

    def _render(self, size: Size, end: float, tries: int) -> NDArray[np.uint8]:
        """Return an image with opacity, once the page has got the whole scene; try again if it could not draw."""
        client, view = self._drawing_page(size, end), self._view()
        try:
            wait_until_sent(self._server, client.client_id, end)
            left = max(end - time.monotonic(), 0.1)
            return client.get_render(size[1], size[0], transport_format="png", timeout=left, **view)
        except (TimeoutError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and tries > 1:  # it may have lost its connection, and open it again
                return self._render(size, end, tries - 1)
            raise ViewerError(f"the browser did not draw {self._url}: {error}", url=self._url) from error

    def settled_pixels(self, size: Size, timeout: float) -> Pixels:
        """Return the scene as `pixels` does, once letters and surfaces have arrived: when three images are equal."""
        image, equal = self.pixels(size, timeout), 0
        for _ in range(_SETTLING_IMAGES):
            time.sleep(_PAUSE)
            before, image = image, self.pixels(size, timeout)
            equal = equal + 1 if np.array_equal(image, before) else 0
            if equal == 2:
                break
        return image

    def _view(self) -> dict[str, Any]:
        """Return the view of a page that a person has opened, or else that of `look`."""
        for client in self._server.get_clients().values():
            if client is not self._client:
                return {"wxyz": client.camera.wxyz, "position": client.camera.position, "fov": client.camera.fov}
        return {"wxyz": _orientation(self._eye, self._aim), "position": self._eye, "fov": FIELD_OF_VIEW}

    def _drawing_page(self, size: Size, end: float) -> ClientHandle:
        """Return a page that draws at least this size: that of the headless browser, or an open one without it."""
        if find_browser() is None:
            for client in self._server.get_clients().values():
                return client
        fits = self._browser is not None and self._browser.is_running and self._browser.holds(size)
        if self._client is None or self._client.client_id not in self._server.get_clients() or not fits:
            self.close()
            before = set(self._server.get_clients())
            self._browser = HeadlessBrowser(self._url, max(size[0], _WINDOW[0]), max(size[1], _WINDOW[1]), _ALL_PIXELS)
            self._client = self._new_page(before, end)
        return self._client

    def _new_page(self, before: set[int], end: float) -> ClientHandle:
        while time.monotonic() < end and self._browser is not None and self._browser.is_running:
            for number, client in self._server.get_clients().items():
                if number not in before:
                    return client
            time.sleep(0.02)
        raise ViewerError(f"the browser did not open {self._url}", url=self._url)

    def close(self) -> None:
        """End the headless browser."""
        if self._browser is not None:
            self._browser.close()
            self._browser = self._client = None


def _orientation(eye: Array, aim: Array) -> Array:
    """Return the orientation of a camera, whose axes point to the right, down and to the aim, with z upwards."""
    ahead = (aim - eye) / np.linalg.norm(aim - eye)
    up = np.array([0.0, 0.0, 1.0]) if abs(ahead[2]) < 0.999 else np.array([0.0, 1.0, 0.0])
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    orientation: Array = quaternions(np.stack([right, np.cross(ahead, right), ahead], axis=1)[None])[0]
    return orientation


@requires_extra("pictures")
def write_picture(path: Path, pixels: Pixels) -> None:
    """Write an image; its suffix is one of PICTURES."""
    pillow = import_module("PIL.Image")
    with replaced_file(path) as partial:
        pillow.fromarray(pixels).save(partial, format=PICTURES[path.suffix.lower()])


def write_film(path: Path, images: Iterator[Pixels], rate: float) -> None:
    """Write images as a film, `rate` a second; its suffix is one of FILMS."""
    (_write_gif if path.suffix.lower() == ".gif" else _write_mp4)(path, images, rate)


@requires_extra("films")
def _write_gif(path: Path, images: Iterator[Pixels], rate: float) -> None:
    pillow = import_module("PIL.Image")
    first, *others = [pillow.fromarray(image).quantize(128) for image in images]
    with replaced_file(path) as partial:
        duration = round(1000 / rate)  # ms
        first.save(partial, format="GIF", save_all=True, append_images=others, duration=duration, loop=0)


@requires_extra("films")
def _write_mp4(path: Path, images: Iterator[Pixels], rate: float) -> None:
    ffmpeg = import_module("imageio_ffmpeg")
    first = next(images)
    height, width, _ = first.shape
    with replaced_file(path) as partial:
        writer = ffmpeg.write_frames(
            str(partial), (width, height), fps=rate, macro_block_size=2, output_params=["-f", "mp4"]
        )
        with _closing(writer) as send:
            for image in chain([first], images):
                send(np.ascontiguousarray(image))


@contextmanager
def _closing(writer: Any) -> Generator[Callable[[Pixels], None]]:
    writer.send(None)  # starts it
    try:
        yield writer.send
    finally:
        writer.close()
