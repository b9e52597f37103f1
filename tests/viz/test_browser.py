"""The viewer's page in Chromium: it opens, its elements work, and it is drawn."""

from __future__ import annotations

import importlib
import json
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, ViewerError
from rbd.viz import Force, Viewer
from rbd.viz.browser import find_browser
from rbd.viz.pictures import FIELD_OF_VIEW
from rbd.viz.surfaces import sphere
from tests.viz.chromium import DrivenPage, eventually
from tests.viz.pages import uniform_motion

pytest.importorskip("viser", reason="the extra `viz` is not installed")
pytestmark = pytest.mark.skipif(find_browser() is None, reason="Chromium is not installed")


LAST_FRAME = "(r => [r.frame, r.calls])(window.__viserTestpoints.rendererInfo.render)"
"""The number of a frame, and of its draw calls."""
RATIO = "window.__viserTestpoints.devSettings.get().fixedDpr"
"""Pixels per pixel of the window; None if viser chooses them."""


@pytest.fixture(scope="module")
def arm() -> rbd.Mechanism:
    return rbd.robots.arm7()


@pytest.fixture
def viewer(arm: rbd.Mechanism) -> Iterator[Viewer]:
    with Viewer(arm, port=0) as made:
        yield made


@pytest.fixture
def page(viewer: Viewer) -> Iterator[DrivenPage]:
    with closing(DrivenPage(viewer.url)) as opened:
        assert eventually(lambda: opened.value("document.querySelectorAll('[role=slider]').length") >= 7)
        yield opened


def test_the_page_opens_with_its_elements(page: DrivenPage) -> None:
    text = page.value("document.body.innerText")
    for word in ("rbd", "joint1", "joint7", "skeleton", "loops"):
        assert word in text
    assert page.value("document.querySelectorAll('canvas').length") >= 1
    assert "hare" not in text  # no button that shares the page


def test_the_page_draws_fewer_pixels(arm: rbd.Mechanism) -> None:
    with Viewer(arm, port=0, pixel_ratio=0.5) as viewer, closing(DrivenPage(viewer.url)) as page:
        canvas = "document.querySelector('canvas[data-engine]')"
        sizes = f"(c => c ? [c.width, c.height, c.clientWidth, c.clientHeight] : [0, 0, 0, 0])({canvas})"
        assert eventually(lambda: page.value(sizes)[2] > 300)  # a canvas begins with 300
        drawn = eventually(lambda: (found := page.value(sizes))[:2] == [found[2] // 2, found[3] // 2])
        assert drawn, page.value(sizes)
        page.value("rbdPixels.played(0, 0), rbdPixels.played(3000, 1), rbdPixels.rest()")  # slow, and then still
        assert page.value(RATIO) == 0.5


def test_a_page_draws_fewer_pixels_while_a_playback_is_slow(page: DrivenPage) -> None:
    told = [(0, 0), (1900, 10), (2000, 60), (4100, 110), (6200, 111)]  # ms, frames
    calls = ", ".join(f"[rbdPixels.played({ms}, {frame}), {RATIO}][1]" for ms, frame in told)
    again = f"[rbdPixels.rest(), {RATIO}][1], [rbdPixels.played(9000, 200), {RATIO}][1]"
    found = page.value(f"[{calls}, {again}, [rbdPixels.rest(), {RATIO}][1]]")
    assert found == [None, None, None, 0.5, 0.5, None, 0.5, None]


def test_a_page_leaves_the_pixels_that_a_person_has_chosen(page: DrivenPage) -> None:
    page.value("window.__viserTestpoints.devSettings.set({fixedDpr: 0.8})")
    page.value("rbdPixels.played(0, 0), rbdPixels.played(3000, 1)")
    assert page.value(RATIO) == 0.8
    page.value("rbdPixels.rest()")
    assert page.value(RATIO) == 0.8


def test_the_page_asks_no_other_server(page: DrivenPage, viewer: Viewer) -> None:
    places = page.value(
        "performance.getEntriesByType('resource').map(e => new URL(e.name)).map(u => u.protocol + u.host)"
    )
    own = {"http:" + viewer.url.removeprefix("http://"), "blob:", "data:"}
    assert {place for place in places if not place.startswith(("blob:", "data:"))} <= own


def test_a_slider_moves_a_body(page: DrivenPage, viewer: Viewer, arm: rbd.Mechanism) -> None:
    state = rbd.MechanismState(arm, [0.1] * 7)
    viewer.show(state)
    slider = "[...document.querySelectorAll('[role=slider]')].slice(-7)[1]"  # of seven joints
    assert eventually(lambda: abs(float(page.value(slider + ".ariaValueNow")) - 0.1) < 1e-6)
    assert page.value(slider + ".focus()") is None
    for _ in range(3):
        page.press("ArrowRight")
    assert eventually(lambda: viewer.q[1] > 0.1)
    q = viewer.q
    np.testing.assert_array_equal(np.delete(q, 1), [0.1] * 6)
    moved = rbd.MechanismState(arm, q)
    drawn: Any = viewer._scene._bodies[arm.bodies.index(arm.body("link7"))].position  # pyright: ignore[reportPrivateUsage]
    np.testing.assert_allclose(drawn, moved.transform_to_root("link7").translation, rtol=0, atol=1e-12)


def test_playback_is_stopped_by_its_button(page: DrivenPage, viewer: Viewer, arm: rbd.Mechanism) -> None:
    trajectory = rbd.simulate(rbd.MechanismState(arm, [0.3] * 7), 1.0, dt=0.01)
    page.value("window.told = 0, rbdPixels.tell = () => { window.told += 1; }")
    viewer.animate(trajectory, speed=0.001)
    assert eventually(lambda: page.value("window.told") >= 2)
    find = "[...document.querySelectorAll('button')].filter(b => b.innerText == '{}')"
    assert eventually(lambda: page.value(find.format("Pause") + ".length") == 1)
    page.value(find.format("Pause") + "[0].click()")
    assert eventually(lambda: page.value(find.format("Play") + ".length") == 1)
    viewer.wait_for_motion()
    assert np.abs(viewer.q - trajectory.q[0]).max() < np.abs(trajectory.q[-1] - trajectory.q[0]).max() / 10


def test_playback_is_scrubbed_and_its_speed_is_changed(page: DrivenPage, viewer: Viewer, arm: rbd.Mechanism) -> None:
    viewer.animate(uniform_motion(arm), speed=0.001)  # too slow to come anywhere by itself
    sliders = "[...document.querySelectorAll('[role=slider]')]"
    assert eventually(lambda: page.value(sliders + ".length") == 8)

    def moves(key: str, t: float, seconds: float = 60.0) -> bool:
        page.value(sliders + "[0].focus()")
        page.press(key)
        place = sliders + "[0].ariaValueNow"
        return eventually(lambda: abs(viewer.q[0] - t) < 1e-9 and abs(float(page.value(place)) - t) < 1e-9, seconds)

    assert eventually(
        lambda: moves("End", 1.0, 5.0)
    )  # a message of the playback that was on its way moves the slider back
    for key, t in (("End", 1.0), ("ArrowLeft", 0.999), ("ArrowLeft", 0.998), ("Home", 0.0), ("ArrowRight", 0.001)):
        assert moves(key, t)
        assert eventually(lambda t=t: float(page.value(sliders + "[7].ariaValueNow")) == viewer.q[6])  # type: ignore[misc]
        drawn: Any = viewer._scene._bodies[arm.bodies.index(arm.body("link7"))].position  # pyright: ignore[reportPrivateUsage]
        state = rbd.MechanismState(arm, [t] * 7)
        np.testing.assert_allclose(drawn, state.transform_to_root("link7").translation, rtol=0, atol=1e-9)
    page.value("[...document.querySelectorAll('input')].find(i => i.value == '0.001' && i.role == 'combobox').click()")
    choices = "[...document.querySelectorAll('[role=option]')].map(o => o.innerText)"
    assert eventually(lambda: "4" in page.value(choices))
    page.value("[...document.querySelectorAll('[role=option]')].find(o => o.innerText == '4').click()")
    player = viewer._player  # pyright: ignore[reportPrivateUsage]
    assert eventually(lambda: player._speed == 4.0)  # pyright: ignore[reportPrivateUsage]
    page.value("[...document.querySelectorAll('button')].find(b => b.innerText == 'Play').click()")
    assert eventually(lambda: viewer.q[0] == 1.0)
    assert eventually(lambda: page.value(sliders + "[0].ariaValueNow") == "1")


def image(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    pillow: Any = importlib.import_module("PIL.Image")
    return np.asarray(pillow.open(path).convert("RGB"), dtype=np.float64)


def test_screenshots_show_the_state(viewer: Viewer, arm: rbd.Mechanism, tmp_path: Path) -> None:
    for name, q in (("a.png", 0.0), ("b.png", 0.8), ("c.jpg", 0.8)):
        viewer.show(rbd.MechanismState(arm, [q] * 7)).screenshot(tmp_path / name, size=(160, 120), timeout=120)
    a, b, c = (image(tmp_path / name) for name in ("a.png", "b.png", "c.jpg"))
    assert a.shape == b.shape == c.shape == (120, 160, 3)
    assert (np.abs(a - b).max(axis=2) > 40).sum() > 100
    assert np.abs(b - c).mean() < 5


def test_a_screenshot_waits_for_all_meshes(tmp_path: Path) -> None:
    pytest.importorskip("trimesh", reason="the extra `viz` is not installed")
    ball = sphere(0.18)
    lines = [f"v {x} {y} {z}" for x, y, z in ball.vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in ball.triangles.tolist()]
    (tmp_path / "ball.obj").write_text("\n".join(lines))
    visuals = "".join(
        f'<visual><origin xyz="{0.4 * i - 1.8} 0 {0.4 * j - 1.8}"/><geometry><mesh filename="ball.obj"/></geometry>'
        f'<material name="m{i}{j}"><color rgba="1 0 0 1"/></material></visual>'
        for i in range(10)
        for j in range(10)
    )
    (tmp_path / "robot.urdf").write_text(f"<robot name='r'><link name='a'>{visuals}</link></robot>")
    report = rbd.urdf.UrdfReport()
    robot = rbd.load_urdf(tmp_path / "robot.urdf", floating=True, report=report)
    with Viewer(robot, report, port=0, layers=["shapes"]) as viewer:
        viewer.look((0, -2 / np.tan(FIELD_OF_VIEW / 2), 0)).screenshot(tmp_path / "a.png", size=(400, 400), timeout=120)
    pixels = image(tmp_path / "a.png").reshape(10, 40, 10, 40, 3)  # a cell of 40 by 40 pixels per mesh
    redness = (pixels[..., 0] - pixels[..., 1]).mean(axis=(1, 3))
    assert redness.min() > 0.5 * redness.max() > 10


def test_a_frame_draws_each_shape_once(viewer: Viewer, arm: rbd.Mechanism) -> None:
    wanted, state = len(arm.bodies) - 1 + 1, rbd.MechanismState(arm)  # the grid, but not viser's background
    with closing(DrivenPage(viewer.url)) as opened:
        assert eventually(lambda: opened.value("document.querySelectorAll('[role=slider]').length") >= 7)
        calls = dict[int, int]()

        def drawn(frames: int) -> bool:
            state.set_configuration(0.01 - state.q)  # to and fro
            viewer.show(state)
            frame, count = opened.value(LAST_FRAME)
            calls[frame] = count
            return len(calls) >= frames

        assert eventually(lambda: drawn(1) and calls[max(calls)] == wanted)  # the page has all shapes
        calls.clear()
        assert eventually(lambda: drawn(10))
        assert np.median([*calls.values()]) == wanted == max(calls.values()), calls


def test_the_ground_is_drawn_with_shadows_on_it(viewer: Viewer, arm: rbd.Mechanism, tmp_path: Path) -> None:
    darkness = list[float]()
    for ground, shadows in ((False, False), (True, False), (True, True)):
        viewer.layer("shapes", False).layer("ground", ground).layer("shapes").layer("shadows", shadows)
        viewer.show(rbd.MechanismState(arm, [0.4] * 7)).screenshot(tmp_path / "a.png", size=(320, 240), timeout=120)
        darkness.append((255 - image(tmp_path / "a.png")[120:]).mean())
    assert darkness[0] + 0.1 < darkness[1] < darkness[2] - 0.1, darkness


def test_forces_are_drawn_red(viewer: Viewer, arm: rbd.Mechanism, tmp_path: Path) -> None:
    state, tip = rbd.MechanismState(arm), rbd.Point(arm.frame("tool"), (0, 0, 0))
    push = Force(tip, rbd.FreeVector(arm.root_frame, (5, 5, 0)))

    def red_pixels() -> int:
        viewer.screenshot(tmp_path / "a.png", size=(320, 240), timeout=120)
        pixels = image(tmp_path / "a.png")
        return int(((pixels[..., 0] > 120) & (pixels[..., 1] < 90) & (pixels[..., 2] < 120)).sum())

    viewer.show(state, forces=[])
    before = red_pixels()
    viewer.show(state, forces=[push])
    assert any(red_pixels() > before + 30 for _ in range(5))  # a loaded machine may draw late


def test_the_own_browser_draws_all_pixels(viewer: Viewer, tmp_path: Path) -> None:
    viewer.screenshot(tmp_path / "a.png", size=(64, 48), timeout=120)
    browser = viewer._camera._browser  # type: ignore[attr-defined]  # pyright: ignore
    assert browser is not None
    told = (Path(browser.folder) / "DevToolsActivePort").read_text().split()[0]
    with urllib.request.urlopen(f"http://127.0.0.1:{told}/json", timeout=30) as answer:
        addresses = [each["url"] for each in json.load(answer) if each["type"] == "page"]
    assert addresses == [f"{viewer.url}/?fixedDpr=1"]


def test_films(viewer: Viewer, arm: rbd.Mechanism, tmp_path: Path) -> None:
    trajectory = rbd.simulate(rbd.MechanismState(arm, [0.3] * 7), 0.2, dt=0.01)
    viewer.record(tmp_path / "a.gif", trajectory, rate=10, size=(64, 48), timeout=120)
    with importlib.import_module("PIL.Image").open(tmp_path / "a.gif") as film:
        assert (film.n_frames, film.size) == (3, (64, 48))
    pytest.importorskip("imageio_ffmpeg", reason="the extra `video` is not installed")
    viewer.record(tmp_path / "a.mp4", trajectory, rate=10, size=(64, 48), timeout=120)
    assert (tmp_path / "a.mp4").read_bytes()[4:8] == b"ftyp"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.mp4"]


def test_pictures_that_cannot_be_drawn(arm: rbd.Mechanism, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = Viewer(arm, port=0)
    with pytest.raises(ArgumentError, match=r"'\.bmp'"):
        viewer.screenshot(tmp_path / "a.bmp")
    monkeypatch.setattr("rbd.viz.browser._NAMES", ())
    with pytest.raises(ViewerError, match="no browser") as caught:
        viewer.screenshot(tmp_path / "a.png")
    assert caught.value.url == viewer.url
    viewer.close()
    viewer.close()
    with pytest.raises(ViewerError, match="closed"):
        viewer.screenshot(tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
