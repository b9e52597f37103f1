"""Edits that are interrupted: a mechanism to edit, the edits, and exceptions at chosen lines of rbd."""

from __future__ import annotations

import copy
import dis
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, cast

import numpy as np

import rbd
from rbd.native.runtime import locks
from tests.mechanism import invariants

_HERE: Final = str(Path(rbd.__file__).parent)
_NO_ARGUMENT: Final = "LOAD_CONST None"
_CALLS_OF_EXIT: Final = (
    (_NO_ARGUMENT,) * 3,
    ("SWAP", *(_NO_ARGUMENT,) * 3),  # below the result of a `return`
    ("PUSH_EXC_INFO None", "WITH_EXCEPT_START None"),
)
"""Instructions with which CPython begins a call of `__exit__`; those without an argument have None."""
Edit = Callable[[rbd.Mechanism], object]


def mechanism() -> rbd.Mechanism:
    """Return a small mechanism with a loop, a fixed joint, a contact point and a frame of its own."""
    made = rbd.testing.random_chain([rbd.Revolute((0, 0, 1)), rbd.Fixed(), rbd.QuaternionSpherical()], _rng())
    made.attach("world", made.bodies[2], rbd.Joint("loop", rbd.QuaternionFloating()))
    made.attach("world", "body3", rbd.Joint("second loop", rbd.Revolute((0, 0, 1))))
    for name in ("wheel", "follower"):
        made.attach("world", rbd.RigidBody(name), rbd.Joint(name, rbd.Revolute((0, 0, 1))))
    made.couple("wheel", "follower", name="gears")
    made.add_half_space(_half_space(made))
    made.body("body2").add_contact_point(rbd.Point(made.body("body2").default_frame, (1, 2, 3)), _contact())
    made.body("body1").add_frame(rbd.Transform(rbd.Frame("tool"), made.body("body1").default_frame))
    return made


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)


def _contact() -> rbd.SoftContact:
    return rbd.SoftContact(rbd.HuntCrossley.hertz(), rbd.ViscoelasticCoulomb(0.8, 1e3, 1e2))


def _half_space(m: rbd.Mechanism) -> rbd.contact.HalfSpace:
    return rbd.contact.HalfSpace(rbd.Point(m.root_frame, (0, 0, 0)), rbd.FreeVector(m.root_frame, (0, 0, 1)))


def _sphere(m: rbd.Mechanism) -> rbd.SpatialInertia:
    return rbd.SpatialInertia.sphere(m.body("body1").default_frame, mass=1.0, radius=1.0)


EDITS: Final[dict[str, Edit]] = {
    "attach": lambda m: m.attach("body3", rbd.RigidBody("new"), rbd.Joint("new", rbd.Revolute((0, 0, 1)))),
    "close a loop": lambda m: m.attach("body3", "body1", rbd.Joint("new", rbd.Revolute((0, 0, 1)))),
    "attach_mechanism": lambda m: m.attach_mechanism("body1", rbd.robots.double_pendulum(), prefix="x "),
    "remove_joint of the tree": lambda m: m.remove_joint("joint1"),
    "remove_joint of a loop": lambda m: m.remove_joint("loop"),
    "remove_subtree": lambda m: m.remove_subtree("body3"),
    "replace_joint": lambda m: m.replace_joint("joint1", rbd.Joint("other", rbd.Prismatic((1, 0, 0)))),
    "rebuild_spanning_tree": lambda m: m.rebuild_spanning_tree(["loop"]),
    "remove_fixed_joints": lambda m: m.remove_fixed_joints(),
    "add_contact_point": lambda m: m.body("body1").add_contact_point(
        rbd.Point(m.body("body1").default_frame, (1, 1, 1)), _contact()
    ),
    "add_frame": lambda m: m.body("body1").add_frame(
        rbd.Transform(rbd.Frame("fresh"), m.body("body1").default_frame, translation=(1, 2, 3))
    ),
    "add_half_space": lambda m: m.add_half_space(_half_space(m)),
    "remove_half_space": lambda m: m.remove_half_space(m.half_spaces[0]),
    "couple": lambda m: m.couple("joint1", offset=0.1),
    "uncouple": lambda m: m.uncouple("gears"),
    "replace_joint of a loop": lambda m: m.replace_joint("loop", rbd.Joint("other", rbd.QuaternionSpherical())),
    "set_inertia": lambda m: m.body("body1").set_inertia(_sphere(m)),
    "move_frame": lambda m: m.body("body1").move_frame(
        rbd.Transform(m.body("body1").frame("tool"), m.body("body1").default_frame, translation=(1, 2, 3))
    ),
    "set gravity": lambda m: setattr(m, "gravity", (1, 2, 3)),
    "set a joint's parameter": lambda m: setattr(m.joint("joint1"), "damping", [0.5]),
}
"""Every edit of a structure, and edits of parameters, by name."""


def summary(m: rbd.Mechanism) -> tuple[object, ...]:
    """Return what shows whether an edit has happened, without identities."""
    bodies = [(b.name, b.default_frame.name, [f.name for f in b.frames], len(b.contact_points)) for b in m.bodies]
    joints = [(j.name, repr(j.type), m.predecessor(j).name, m.successor(j).name) for j in m.joints]
    numbers = [str(m.gravity), [str(b.inertia) for b in m.bodies], [str(j.damping) for j in m.joints]]
    frames = [str(b.fixed_transform(f, b.default_frame)) for b in m.bodies for f in b.frames]
    return str(m), bodies, joints, m.nq, m.nv, m.nc, len(m.half_spaces), len(m.couplings), m.mass, numbers, frames


def _content(m: rbd.Mechanism) -> tuple[object, ...]:
    """Return what an edit must leave as it is; the version of parameters may grow: states compute again."""
    _, *others = invariants.content(m)
    return (m.structure_version, *others)


def lines_of(edit: Edit) -> int:
    """Return the number of lines of rbd that an edit runs through."""
    m = mechanism()
    return count_lines(lambda: edit(m))


def interrupt(edit: Edit, line: int, error: type[BaseException]) -> str:
    """Raise `error` at a line of an edit; return "before" or "after", as the mechanism is then."""
    m = mechanism()
    clean = copy.deepcopy(m)
    edit(clean)
    before, after, whole = summary(m), summary(clean), _content(m)
    raise_at(line, error, lambda: edit(m))
    invariants.check(m)
    if _content(m) == whole and summary(m) == before:
        edit(m)  # works afterwards
        assert summary(m) == after
        return "before"
    assert summary(m) == after
    return "after"


def count_lines(call: Callable[[], object]) -> int:
    """Return the number of lines of rbd that a call runs through."""
    lines = list[None]()
    _traced(call, lambda: lines.append(None))
    return len(lines)


def _ends_with_block(frame: FrameType) -> bool:
    """Return whether the next instructions of a frame call `__exit__` of a `with` statement.

    No signal arrives there, nor does anything take memory: an exception would leave a lock held, for ever.
    """
    return frame.f_lasti in _ends_of_with_blocks(frame.f_code)


@cache
def _ends_of_with_blocks(code: CodeType) -> frozenset[int]:
    """Return the offsets from which a function loads the three arguments of `__exit__`: None, or an exception."""
    found = [each for each in dis.get_instructions(code) if each.opname != "CACHE"]
    names = [each.opname if each.argval is not None else f"{each.opname} None" for each in found]
    return frozenset(
        each.offset
        for k, each in enumerate(found)
        if any(tuple(names[k : k + len(call)]) == call for call in _CALLS_OF_EXIT)
    )


def raise_at(line: int, error: type[BaseException], call: Callable[[], object]) -> bool:
    """Run a call, and raise `error` at one of its lines in rbd, counted from 1; return whether it has so many.

    No lock of rbd may stay held by this thread.
    """
    left = line

    def countdown() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise error("in the middle of a call")

    with suppress(error):
        _traced(call, countdown)
    assert not release_locks()
    return left <= 0 < line


def raise_after(seconds: float, call: Callable[[], object]) -> bool:
    """Run a call, and interrupt it after a time, as Ctrl-C does; return whether it was.

    No lock of rbd may stay held by this thread.
    """
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with np.errstate():  # an interrupt inside NumPy can leave its own changes
            _run_for(seconds, call)
    except KeyboardInterrupt:
        return True
    finally:
        signal.signal(signal.SIGALRM, handler)
        assert not release_locks()
    return False


def _run_for(seconds: float, call: Callable[[], object]) -> None:
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def release_locks() -> list[str]:
    """Release the locks of rbd that this thread holds; return them."""
    owned: list[Any] = [lock.inner for lock in list(locks._all) if cast(Any, lock.inner)._is_owned()]
    found = [repr(lock) for lock in owned]
    for lock in owned:
        while lock._is_owned():
            lock.release()
    return found


def _traced(call: Callable[[], object], at_line: Callable[[], None]) -> None:
    """Run a call, and a function at each of its lines in rbd; the ends of `with` blocks are none."""

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line" and not _ends_with_block(frame):
            at_line()
        return local

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        return local if frame.f_code.co_filename.startswith(_HERE) else None

    known = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(known)
