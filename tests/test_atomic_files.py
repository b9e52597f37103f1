"""Files are replaced as a whole; symbolic links, devices and pipes stay."""

from __future__ import annotations

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
