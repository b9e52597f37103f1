"""`Viewer`: a page that shows a mechanism, moves its joints and plays trajectories, on viser (extra `viz`)."""

from __future__ import annotations

import math
import os
import threading
import time
import warnings
import webbrowser
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Final, Self, TypeAlias, final

import numpy as np

from rbd.algorithms import close_loops
from rbd.arguments import boolean, require_kind, whole_number
from rbd.errors import ArgumentError, SolverError, ViewerError, printable
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array, float_array
from rbd.scalars.number_checks import above_zero
from rbd.simulation import Trajectory
from rbd.state import MechanismState
from rbd.viz.arguments import check_forces, checked_path, checked_pixel_ratio, checked_size, layer_name, layer_names
from rbd.viz.forces import Forces, arrows, scaled
from rbd.viz.layers import Layer
from rbd.viz.loopback import start_server, stop_server
from rbd.viz.page_scripts import add_page_scripts, announce_playback
from rbd.viz.panel import Panel
from rbd.viz.pictures import (
    FIELD_OF_VIEW,
    FILMS,
    PICTURES,
    Camera,
    Pixels,
    Size,
    check_suffix,
    write_film,
    write_picture,
)
from rbd.viz.player import Player
from rbd.viz.poses import body_poses
from rbd.viz.scene import Scene
from rbd.viz.sliders import SliderCoordinate, slider_coordinates
from rbd.viz.trajectories import AnyTrajectory, as_trajectory, require_fitting
from rbd.viz.visuals import Shapes, Visuals

ForcesAt: TypeAlias = Callable[[float, MechanismState], Forces]

_DEFAULT_LAYERS: Final = ("shapes", "loops", "contacts", "forces", "ground")
_TIME_UPDATE_PERIOD: Final = 0.25
"""Seconds between two updates of the time shown while a trajectory runs."""


@final
class ViewerWarning(UserWarning):
    """Meshes of a robot file cannot be shown."""


@final
class Viewer:
    """A page in the browser that shows a mechanism.

    `shapes` is what bodies look like: the report of the file the mechanism was read from, or a collision model. Bodies
    without shapes are boxes with their inertia. `layers` are those shown at first, of "shapes", "collisions",
    "inertias", "skeleton" (a stick figure), "frames", "names", "loops" (loop joints), "contacts" (compliant ones),
    "forces", "ground" and "shadows". The page has sliders for the joints; with loops or couplings the other joints
    follow.

    The page draws `pixel_ratio` pixels, from 0.1 to 4, per pixel of the window in each direction; by default as many as
    the screen has, but fewer, down to 0.5, while it plays a trajectory with less than 30 frames a second. A number
    switches that off.

    The page is at `url`, on this computer only: the server listens on 127.0.0.1, at `port` or the next one that is
    free, and refuses other web pages. It serves the page and nothing else. Close the viewer, or use it as a context
    manager. In notebooks it shows itself.

    Raises MissingPackageError without viser (`pip install 'rbd[viz]'`), ArgumentError for shapes of another mechanism.

    >>> import rbd
    >>> arm = rbd.robots.arm7()
    >>> with rbd.viz.Viewer(arm, port=0) as viewer:                             # doctest: +SKIP
    ...     viewer.show(rbd.MechanismState(arm, [0.5] * 7)).screenshot("arm.png")
    """

    def __init__(
        self,
        mechanism: Mechanism,
        shapes: Shapes | None = None,
        *,
        layers: Iterable[str] = _DEFAULT_LAYERS,
        pixel_ratio: float | None = None,
        port: int = 8080,
        open_browser: bool = False,
    ) -> None:
        require_kind(mechanism, Mechanism, operation="Viewer", argument="mechanism")
        self._pixel_ratio = checked_pixel_ratio(pixel_ratio)
        port, opened = whole_number(port, "port", 0, 65535), boolean(open_browser, "open_browser")
        shown, visuals = layer_names(layers), Visuals(mechanism, shapes)
        self._state, self._lock = MechanismState(mechanism), threading.RLock()
        self._closed, self._is_fitted = threading.Event(), False
        self._player = Player(0.0, 0.0, lambda t, playing: None, 1.0)  # stopped; `animate` replaces it
        self._next_time_update = 0.0
        self._serve(port, visuals, shown)
        self.missing: Final = tuple(visuals.missing)
        """Why meshes are not shown, one text each."""
        if self.missing:
            _warn_of_missing(self.missing)
        if opened:
            webbrowser.open(self.url)

    def _serve(self, port: int, visuals: Visuals, layers: Sequence[Layer]) -> None:
        """Start the server of the page, which stops if the page cannot be built."""
        self._server = start_server(port, "rbd")
        self._camera = Camera(self._server, self._address)
        try:
            self._build(visuals, layers)
        except BaseException:
            stop_server(self._server)
            raise

    def _build(self, visuals: Visuals, layers: Sequence[Layer]) -> None:
        """Make scene, panel and camera."""
        add_page_scripts(self._server)
        self._server.gui.configure_theme(show_logo=False, show_share_button=False)
        poses = body_poses(self._state, self._state.mechanism.bodies)
        self._scene = Scene(self._server, self._state.mechanism, visuals, poses)
        for layer in layers:
            self._scene.set_visible(layer, True)
        sliders = slider_coordinates(self._state, max(1.0, self._scene.size))
        self._panel = Panel(self._server.gui, self._move_joint, self._set_layer, sliders, self._scene.visible)
        self._fit(poses)

    @contextmanager
    def _adopted_state(self) -> Generator[MechanismState]:
        """Yield the viewer's state, which belongs to the calling thread meanwhile."""
        with self._lock:
            self._state.adopt()
            yield self._state

    # ---------------------------------------------------------------- what is shown

    @property
    def url(self) -> str:
        """The address of the page, on this computer."""
        return self._address if self._pixel_ratio is None else f"{self._address}/?fixedDpr={self._pixel_ratio:g}"

    @property
    def _address(self) -> str:
        """The address of the page that chooses its pixels itself."""
        return f"http://{self._server.get_host()}:{self._server.get_port()}"

    @property
    def q(self) -> Array:
        """The configuration shown: that of `show`, of the trajectory, or of the sliders."""
        with self._lock:
            return self._state.q.copy()

    def show(self, state: MechanismState, *, forces: Forces = ()) -> Self:
        """Show a state, and forces as arrows, the largest a third of the robot's size long; return the viewer.

        The state is copied. `forces` are `Force`s or wrenches on bodies; `contact_forces` makes those of contacts.
        Raises ArgumentError for the state of another mechanism.
        """
        require_kind(state, MechanismState, operation="show", argument="state")
        if state.mechanism is not self._state.mechanism:
            message = "state: it is of another mechanism than the viewer"
            raise ArgumentError(message, argument="state", value=state)
        drawn = arrows(state, forces)
        self._stop_player()
        with self._adopted_state() as own_state:
            own_state.set_configuration(state.q)
            own_state.set_velocity(state.v)
            self._draw(drawn)
            self._panel.set_sliders(own_state)
        return self

    def layer(self, name: str, visible: bool = True) -> Self:
        """Show or hide a layer; return the viewer."""
        layer, shown = layer_name(name, "name"), boolean(visible, "visible")
        self._set_layer(layer, shown)
        self._panel.set_checkbox(layer, shown)
        return self

    def _set_layer(self, layer: Layer, visible: bool) -> None:
        with self._lock:
            self._scene.set_visible(layer, visible)

    def look(self, position: Any, target: Any = (0.0, 0.0, 0.0)) -> Self:
        """Look from a position to a target, in the root frame; return the viewer.

        Without it one looks at the whole mechanism, as first shown.
        """
        eye, aim = float_array(position, (3,), "position"), float_array(target, (3,), "target")
        if np.array_equal(eye, aim):
            raise ArgumentError("position and target are one point", argument="position", value=position)
        self._is_fitted = True
        self._camera.look(eye, aim)
        return self

    def _fit(self, poses: Array) -> None:
        """Look at the whole mechanism."""
        low, high = self._scene.extent(poses)
        middle, distance = (low + high) / 2, float(np.linalg.norm(high - low)) / (2 * math.sin(FIELD_OF_VIEW / 2))
        self._camera.look(middle + distance * np.array([0.72, -0.60, 0.35]), middle)

    def _draw(self, forces: Array | None = None) -> None:
        """Draw the viewer's state."""
        poses = body_poses(self._state, self._state.mechanism.bodies)
        if not self._is_fitted:
            self._is_fitted = True
            self._fit(poses)
        self._scene.move(poses, None if forces is None else scaled(forces, self._scene.size / 3))

    # ---------------------------------------------------------------- sliders

    def _move_joint(self, coordinate: SliderCoordinate, value: float) -> None:
        """Set a coordinate to the value of its slider; other joints close the loops, or nothing moves."""
        if not coordinate.low <= value <= coordinate.high:
            return
        self._stop_player()
        with self._adopted_state() as state:
            before = state.q.copy()
            coordinate.set(state, value)
            try:
                if state.mechanism.loop_joints or state.mechanism.couplings:
                    state.zero_velocity()
                    close_loops(state, fixed=[coordinate.joint])
                    self._panel.set_sliders(state)
            except SolverError:
                state.set_configuration(before)
                self._panel.set_sliders(state)
            self._draw(np.empty((0, 2, 3)))

    # ---------------------------------------------------------------- playback

    def animate(self, trajectory: AnyTrajectory, *, speed: float = 1.0, forces: ForcesAt | None = None) -> Self:
        """Play a trajectory in real time, at 60 frames a second; return the viewer at once.

        The page has buttons to stop, to scrub, for the speed and for repetition; `wait_for_motion` waits for the end.
        `forces(t, state)` returns the forces to draw at a time.
        """
        samples, speed = self._samples(trajectory), above_zero(speed, "speed")
        check_forces(forces)
        self._player.close()
        start, end = float(samples.t[0]), float(samples.t[-1])
        player = Player(start, end, lambda t, playing: self._frame(player, samples, forces, t, playing), speed)
        self._player = player
        self._panel.add_playback(player, start, end, speed)
        player.start()
        return self

    def _samples(self, trajectory: AnyTrajectory) -> Trajectory:
        samples = as_trajectory(trajectory, "animate")
        require_fitting(samples, self._state.mechanism)
        return samples

    def _frame(self, player: Player, samples: Trajectory, forces: ForcesAt | None, t: float, playing: bool) -> None:
        """Show a trajectory at a time."""
        with self._adopted_state() as state:
            if player.halted or player is not self._player:
                return
            self._show_at(samples, forces, t)
            if not playing:
                self._panel.show_time(t, playing)
                self._panel.set_sliders(state)
                return
            self._panel.set_next_slider(state, player.frames)
            now = time.perf_counter()
            if now >= self._next_time_update:
                self._next_time_update = now + _TIME_UPDATE_PERIOD
                self._panel.show_time(t, playing)
                announce_playback(self._server)

    def _show_at(self, samples: Trajectory, forces: ForcesAt | None, t: float) -> None:
        with self._adopted_state() as state:
            samples.show_on(state, t)
            self._draw(None if forces is None else arrows(state, forces(t, state)))

    def wait_for_page(self, timeout: float | None = None) -> bool:
        """Wait until a browser has opened the page, at most `timeout` seconds; return whether one has."""
        end = math.inf if timeout is None else time.monotonic() + above_zero(timeout, "timeout")
        while not self._server.get_clients() and time.monotonic() < end and not self._closed.wait(0.02):
            pass
        return bool(self._server.get_clients())

    def wait_for_motion(self) -> Self:
        """Wait until the trajectory that `animate` plays has come to its end, or was stopped on the page."""
        self._player.wait()
        return self

    def _stop_player(self) -> None:
        self._player.halt()
        self._panel.show_stopped()

    # ---------------------------------------------------------------- pictures

    def screenshot(self, path: str | os.PathLike[str], *, size: Size = (1200, 800), timeout: float = 60.0) -> Self:
        """Write the scene, without the panel, to a PNG or JPEG file of `size` (width, height); return the viewer.

        Chromium without a window draws it, or else a browser in which the page is open. It shows what a person sees who
        has opened the page, or else what `look` says. Raises ArgumentError for other formats, ViewerError (`.url`) if
        there is no browser or none that draws within `timeout` seconds.
        """
        file, size = checked_path(path), checked_size(size)
        check_suffix(file, tuple(PICTURES))
        write_picture(file, self._pixels(size, timeout, settled=True))
        return self

    def record(
        self,
        path: str | os.PathLike[str],
        trajectory: AnyTrajectory,
        *,
        rate: float = 25.0,
        speed: float = 1.0,
        forces: ForcesAt | None = None,
        size: Size = (640, 480),
        timeout: float = 60.0,
    ) -> Self:
        """Write a trajectory as a film, GIF or MP4, with `rate` images a second; return the viewer.

        Drawn as by `screenshot`; the rest as `animate`. Raises MissingPackageError for MP4 without imageio-ffmpeg
        (`pip install 'rbd[video]'`).
        """
        file, size = checked_path(path), checked_size(size)
        check_suffix(file, FILMS)
        samples, speed, rate = self._samples(trajectory), above_zero(speed, "speed"), above_zero(rate, "rate")
        check_forces(forces)
        self._stop_player()
        start, end = float(samples.t[0]), float(samples.t[-1])
        times = start + speed / rate * np.arange(1 + math.floor((end - start) * rate / speed + 1e-9))
        write_film(file, (self._image(samples, forces, t, size, timeout) for t in times.tolist()), rate)
        return self

    def _image(self, samples: Trajectory, forces: ForcesAt | None, t: float, size: Size, timeout: float) -> Pixels:
        self._show_at(samples, forces, min(t, float(samples.t[-1])))
        return self._pixels(size, timeout, settled=t == samples.t[0])

    def _pixels(self, size: Size, timeout: float, *, settled: bool) -> Pixels:
        if self._closed.is_set():
            raise ViewerError("the viewer is closed", url=self.url)
        self._server.flush()
        draw = self._camera.settled_pixels if settled else self._camera.pixels
        return draw(size, above_zero(timeout, "timeout"))

    # ---------------------------------------------------------------- end of the viewer

    def wait(self) -> None:
        """Wait until the viewer is closed, or for Ctrl-C."""
        while not self._closed.wait(0.2):
            pass

    def close(self) -> None:
        """Close the page; further calls of this do nothing."""
        if not self._closed.is_set():
            self._closed.set()
            with ExitStack() as parts:  # the server stops whatever happens before
                parts.callback(stop_server, self._server)
                parts.callback(self._camera.close)
                parts.callback(self._player.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<viewer at {self.url}{', closed' if self._closed.is_set() else ''}>"

    def _repr_html_(self) -> str:
        """Show the page in a notebook."""
        return f'<iframe src="{self.url}" width="100%" height="500" style="border:0"></iframe>'


def _warn_of_missing(missing: Sequence[str]) -> None:
    subject = "1 mesh is" if len(missing) == 1 else f"{len(missing)} meshes are"
    text = f"{subject} not shown, see viewer.missing; the first: {missing[0]}"
    warnings.warn(printable(text), ViewerWarning, stacklevel=3)
