"""Files are replaced as a whole; symbolic links, devices and pipes stay."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

import rbd
from rbd.atomic_files import replaced_file


def test_a_failed_write_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    with pytest.raises(UnicodeEncodeError), replaced_file(path) as partial:
        partial.write_text("half \ud800", encoding="utf-8")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_symbolic_link_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "robot.urdf", tmp_path / "link.urdf"
    link.symlink_to(target)
    for robot in (rbd.robots.chain(1), rbd.robots.chain(2)):
        rbd.write_urdf(robot, link)
        assert link.is_symlink()
        assert target.read_text() == link.read_text()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "link.urdf", "robot.urdf"]


@pytest.mark.parametrize("letter", ["a", "é"])
def test_names_may_be_as_long_as_the_file_system_allows(letter: str, tmp_path: Path) -> None:
    """The temporary file's is not longer than the most that it allows, 255 bytes."""
    path = tmp_path / (letter * (250 // len(letter.encode())) + ".urdf")
    rbd.write_urdf(rbd.robots.chain(1), path)
    assert list(tmp_path.iterdir()) == [path]


def test_errors_name_the_path_that_was_given(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "robot.urdf"
    with pytest.raises(NotADirectoryError) as caught, replaced_file(path) as partial:
        partial.write_text("text")
    assert caught.value.filename == str(path)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_file_keeps_its_permissions(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.touch()
    path.chmod(mode)
    rbd.write_urdf(rbd.robots.chain(1), path)
    assert path.read_text().startswith("<?xml")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOSYS, errno.ENOTSUP])
def test_file_systems_without_permissions_are_written_to(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chmod(path: Path, mode: int) -> None:
        raise OSError(number, os.strerror(number), str(path))

    path = tmp_path / "file"
    path.write_text("before")
    monkeypatch.setattr(Path, "chmod", chmod)
    with replaced_file(path) as partial:
        partial.write_text("after")
    assert path.read_text() == "after"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_are_written_to(tmp_path: Path) -> None:
    """So are devices, such as /dev/null, which a test must not put at risk."""
    pipe, found = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    rbd.write_urdf(rbd.robots.chain(1), pipe)
    reader.join(60)
    assert found
    assert found[0].startswith("<?xml")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]
