"""Promises of SECURITY.md: one test for each."""

from __future__ import annotations

import os
import pickle
import re
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, FileError, MjcfPathError, RbdError, UrdfPathError
from rbd.mjcf import MjcfLimits, MjcfWarning, load_mjcf, parse_mjcf
from rbd.native.runtime import cache
from rbd.urdf import UrdfLimits, UrdfReport, UrdfWarning, load_urdf, parse_urdf, resolve_mesh
from rbd.urdf.meshes import read_mesh_file
from tests.docs.examples import ROOT
from tests.mjcf.models import write_meshes

MESH = '<geometry><mesh filename="{0}"/></geometry>'
URDF = f"""<robot name="r"><link name="a"/><link name="b"><visual>{MESH.format("m.stl")}</visual></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""
INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
MJCF = f"""<mujoco><include file="part.xml"/><asset><mesh file="meshes/slab.stl"/></asset>
<worldbody><body>{INERTIAL}<joint/><geom type="mesh" mesh="slab"/></body></worldbody></mujoco>"""
EVENTS = re.compile(
    r"open|os\.(exec|fork|posix_spawn|system|remove|rename|mkdir)|socket\..*|subprocess\..*|exec|compile|import"
)

AUDITED = """
import sys
import rbd.mjcf, rbd.urdf
import encodings.utf_8, encodings.ascii, numpy
load, path = (rbd.urdf.load_urdf if sys.argv[1] == "urdf" else rbd.mjcf.load_mjcf), sys.argv[2]
load(sys.argv[3])  # imports what it needs
seen = []
sys.addaudithook(lambda event, arguments: seen.append((event, str(arguments[:1]))))
load(path)
print(*[f"{event} {what}" for event, what in list(seen)], sep="\\n")
"""


def events(kind: str, path: Path) -> list[str]:
    """Return what the interpreter did while a process read a file, for the second time."""
    command = [sys.executable, "-W", "ignore", "-c", AUDITED, kind, str(path), str(path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=120)
    return [line for line in done.stdout.splitlines() if EVENTS.match(line.split(" ")[0])]


def models(folder: Path) -> dict[str, Path]:
    """Write a model of each kind that refers to other files."""
    write_meshes(folder)
    (folder / "part.xml").write_text("<mujoco/>")
    for name, text in (("arm.urdf", URDF), ("arm.xml", MJCF)):
        (folder / name).write_text(text)
    return {"urdf": folder / "arm.urdf", "mjcf": folder / "arm.xml"}


@pytest.mark.parametrize("kind", ["urdf", "mjcf"])
def test_reading_opens_the_model_and_nothing_else(kind: str, tmp_path: Path) -> None:
    path = models(tmp_path)[kind]
    seen = events(kind, path)
    assert any(str(path) in event for event in seen)
    other = [event for event in seen if not (event.startswith("open") and str(tmp_path) in event)]
    assert set(other) <= {f"open ({number},)" for number in range(20)}  # descriptors of what is open


@pytest.mark.parametrize("name", ["../outside.xml", "link.xml", "/etc/hostname", "file:///etc/hostname"])
def test_references_outside_are_refused(name: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "outside.xml").write_text("<mujoco/>")
    (home / "link.xml").symlink_to(tmp_path / "outside.xml")
    (home / "arm.xml").write_text(f'<mujoco><include file="{name}"/></mujoco>')
    with pytest.raises(MjcfPathError):
        load_mjcf(home / "arm.xml")
    with pytest.raises(UrdfPathError):
        resolve_mesh(name, directory=home)
    with pytest.raises(UrdfPathError):
        resolve_mesh(f"package://p/{name}", packages={"p": home})


def test_declarations_are_refused() -> None:
    laughs = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    for declaration in (laughs, '<!DOCTYPE robot SYSTEM "file:///etc/passwd">'):
        for parse, body in ((parse_urdf, "<robot name='&b;'/>"), (parse_mjcf, "<mujoco model='&b;'/>")):
            with pytest.raises(FileError, match="DOCTYPE"):
                parse(declaration + body)


def test_what_is_too_large_is_refused() -> None:
    deep = "<a>" * 500 + "</a>" * 500
    wide = "<link " + " ".join(f'a{k}="1"' for k in range(100)) + "/>"
    long = f"<link name='{'x' * 300}'/>"
    for text in (deep, wide, long):
        with pytest.raises(FileError):
            parse_urdf(f"<robot name='r'>{text}</robot>")
    with pytest.raises(FileError, match="bytes"):
        parse_urdf(" " * 1001, limits=UrdfLimits(bytes=1000))
    with pytest.raises(FileError, match="elements"):
        parse_urdf(f"<robot name='r'>{'<link/>' * 100}</robot>", limits=UrdfLimits(elements=50))
    copies = "<worldbody><replicate count='1000000000'><site/></replicate></worldbody>"
    with pytest.raises(FileError, match="elements"):
        parse_mjcf(f"<mujoco>{copies}</mujoco>", limits=MjcfLimits(elements=1000))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for a writer
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        for load in (load_urdf, load_mjcf):
            with pytest.raises(FileError, match="regular file"):
                load(path)


NAMES = ["\x1b[31mred", "a\r\nb", "\u202eevil", "\x7f"]


@pytest.mark.parametrize("name", NAMES)
def test_messages_are_printable(name: str) -> None:
    attribute = "".join(f"&#{ord(c)};" for c in name if c.isprintable() or c in "\r\n\u202e\x7f")
    for text in (f"<robot name='r'><link name='{attribute}'/><link name='{attribute}'/></robot>", f"<robot>{name}"):
        with pytest.raises(FileError) as caught:
            parse_urdf(text, file=f"{name}.urdf")
        assert str(caught.value).isprintable()
    joint = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint>'
    with pytest.warns(UrdfWarning) as warned:
        parse_urdf(f"<robot name='r'><link name='a'/><link name='b'/>{joint}</robot>", file=f"{name}.urdf")
    with pytest.warns(MjcfWarning) as also_warned:
        parse_mjcf("<mujoco><worldbody><gadget/></worldbody></mujoco>", file=f"{name}.xml")
    assert all(str(warning.message).isprintable() for warning in (*warned, *also_warned))


def test_damaged_files_raise_errors_of_rbd() -> None:
    rng = np.random.default_rng(0)
    for parse, text in ((parse_urdf, URDF), (parse_mjcf, MJCF)):
        refused = 0
        for _ in range(300):
            data = np.frombuffer(text.encode(), dtype=np.uint8).copy()
            data[rng.integers(0, len(data), size=3)] = rng.integers(0, 256, size=3)
            try:
                parse(data.tobytes())
            except RbdError:
                refused += 1
        assert refused > 100


def test_meshes_are_opened_only_for_masses(tmp_path: Path) -> None:
    paths = models(tmp_path)
    assert not [event for event in events("urdf", paths["urdf"]) if "m.stl" in event]
    assert not [event for event in events("mjcf", paths["mjcf"]) if "slab" in event]
    paths["mjcf"].write_text(MJCF.replace(INERTIAL, ""))
    assert [event for event in events("mjcf", paths["mjcf"]) if "slab" in event]
    with pytest.raises(FileError, match="bytes"):
        load_mjcf(paths["mjcf"], limits=MjcfLimits(mesh_bytes=100))


def test_shown_meshes_open_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trimesh", reason="needs trimesh, of the extra `viz`")
    from rbd.meshes.mesh_files import MeshFault
    from rbd.viz.surfaces import read_surfaces

    (tmp_path / "evil.mtl").write_text("newmtl m\nKd 1 0 0\nmap_Kd evil.png\n")
    shape = b"mtllib evil.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    monkeypatch.chdir(tmp_path)
    read_surfaces(shape, ".obj")
    opened: list[str] = []
    hook_is_on = [True]

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if hook_is_on and event in ("open", "socket.connect", "subprocess.Popen"):
            opened.append(str(arguments[0]))

    sys.addaudithook(hook)
    read_surfaces(shape, ".obj")
    hook_is_on.clear()
    assert opened == []
    with pytest.raises(MeshFault, match="document type declarations"):
        read_surfaces(b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><COLLADA>&b;</COLLADA>', ".dae")


def test_large_meshes_are_refused(tmp_path: Path) -> None:
    with (tmp_path / "m.stl").open("wb") as file:
        file.truncate(100_000_001)  # a hole, which takes no space
    (tmp_path / "arm.urdf").write_text(URDF.replace("visual", "collision"))
    report = UrdfReport()
    load_urdf(tmp_path / "arm.urdf", report=report)
    (mesh,) = report.geometries
    model = MJCF.replace(INERTIAL, "").replace("meshes/slab", "m").replace('"slab"', '"m"')
    for read in (
        lambda: report.mesh_hull(mesh),
        lambda: read_mesh_file(report, "m.stl"),  # the viewer's
        lambda: parse_mjcf(model.replace('<include file="part.xml"/>', ""), directory=tmp_path),
    ):
        with pytest.raises(FileError, match="at most 100000000 are read"):
            read()


class Bomb:
    """Leaves a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.path,)


def test_trajectories_hold_no_pickles(tmp_path: Path) -> None:
    bomb = np.array([Bomb(tmp_path / "exploded")], dtype=object)
    np.savez(tmp_path / "a.npz", t=bomb, q=bomb, v=bomb, s=bomb, version=bomb)
    (tmp_path / "b.npz").write_bytes(pickle.dumps(bomb[0]))
    for name in ("a.npz", "b.npz"):
        with pytest.raises(RbdError):
            rbd.Trajectory.load(tmp_path / name)
    assert not (tmp_path / "exploded").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_trajectories_are_regular_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    for path in (tmp_path / "pipe.npz", tmp_path, Path(os.devnull)):
        with pytest.raises(ArgumentError, match="not a saved trajectory"):
            rbd.Trajectory.load(path)


OWN_CODE = {
    "intrinsics/workspace.py": "sizes of workspaces, expressions in sources of intrinsics",
    "rollout/chunks.py": "functions that this process, or the scheduler it belongs to, has sent",
    "testing/joint_interface.py": "a joint type that the same function has pickled",
}
"""Modules that run code from text or pickles, and whose it is."""


def test_rbd_unpickles_only_its_own() -> None:
    calls = re.compile(
        r"\b(?:pickle|marshal|shelve|dill)\.(?:loads?|Unpickler)\b|allow_pickle=True|\bos\.system\b|\beval\("
    )
    package = Path(rbd.__file__).parent
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    found = {path.relative_to(package).as_posix() for path, text in sources.items() if calls.search(text)}
    assert found == OWN_CODE.keys()


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Store an entry in a cache of its own; return its path."""
    monkeypatch.setenv("RBD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("RBD_CACHE", raising=False)
    cache.store("key", b"machine code")
    (path,) = (tmp_path / "cache" / "objects").iterdir()
    return path


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_cache_entries_of_others_are_ignored(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.load("key") == b"machine code"
    assert stored.parent.stat().st_mode & 0o777 == 0o700
    for path, bad, good in ((stored, 0o620, 0o600), (stored.parent, 0o777, 0o700)):
        path.chmod(bad)
        assert cache.load("key") is None
        path.chmod(good)
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: stored.stat().st_uid + 1)
        assert cache.load("key") is None
    moved = stored.rename(stored.parent.parent / "elsewhere")
    stored.symlink_to(moved)
    assert cache.load("key") is None


def test_damaged_cache_entries_are_not_run(stored: Path) -> None:
    good = stored.read_bytes()
    for place in range(len(good)):
        stored.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        assert cache.load("key") is None
        stored.write_bytes(good[:place])
        assert cache.load("key") is None
    stored.write_bytes(good)
    cache.store("other", b"other code")
    (other,) = set(stored.parent.iterdir()) - {stored}
    other.write_bytes(good)
    assert (cache.load("key"), cache.load("other")) == (b"machine code", None)


@pytest.mark.parametrize("name", ["f; system()", "main(){}", "a b", "*/", "int", "f\n#include"])
def test_names_do_not_become_code(name: str) -> None:
    arm = rbd.robots.double_pendulum()
    function = rbd.record(rbd.mass_matrix, arm)
    with pytest.raises(ArgumentError, match="name"):
        function.to_c(name)
    mechanism = parse_urdf(URDF.replace('"j"', '"*/ int x;"'))
    assert "int x;" not in rbd.record(rbd.mass_matrix, mechanism).to_c("f")


def test_the_viewer_listens_on_loopback() -> None:
    pytest.importorskip("viser", reason="needs viser, of the extra `viz`")
    with rbd.viz.Viewer(rbd.robots.double_pendulum(), port=0) as viewer:
        port = int(viewer.url.rpartition(":")[2].strip("/"))
        with socket.create_connection(("127.0.0.1", port), timeout=10):
            pass
        own = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)}
        # Linux has all addresses of 127.0.0.0/8: a server at 0.0.0.0 would be at each of them.
        others = {"127.0.0.2"} if sys.platform == "linux" else {a for a in own if not a.startswith("127.")}
        for address in others:
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((address, port), timeout=10)


def test_other_pages_are_refused() -> None:
    from rbd.viz.loopback import is_own_page

    assert is_own_page("http://127.0.0.1:8080", "127.0.0.1:8080")
    for origin, host in [
        ("http://example.com", "127.0.0.1:8080"),
        ("http://127.0.0.1:8081", "127.0.0.1:8080"),
        ("http://rebound.example.com:8080", "rebound.example.com:8080"),
        ("null", "127.0.0.1:8080"),
        ("http://127.0.0.1:8080", "127.0.0.1.example.com:8080"),
        (None, "127.0.0.1:8080"),
        ("http://127.0.0.1:8080", None),
    ]:
        assert not is_own_page(origin, host)


def test_the_command_line_prints_no_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[31m.urdf"
    path.write_text("<robot name='r'><link name='a&#x9b;31m'/></robot>")
    wrong = (str(path), "excess\x1b[31m.urdf"), (str(path), "--excess\x1b[31m"), (str(path), "--floating=\x1b[31m")
    for arguments in ((str(path),), (str(tmp_path / "missing\x1b[2J.urdf"),), *wrong):
        command = [sys.executable, "-m", "rbd", "info", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=120)
        assert all(c.isprintable() or c == "\n" for c in done.stdout + done.stderr)
        assert done.stdout + done.stderr


def test_the_page_names_every_test() -> None:
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    here = {name for name in globals() if name.startswith("test_")} - {"test_the_page_names_every_test"}
    assert named == here
