"""Valid calls with options that the calls of other tables leave out: readers, compiled methods, plots and others."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np

import rbd
import rbd.viz
from rbd.mjcf import MjcfLimits, MjcfReport
from rbd.simulation import Spring, Throttle
from rbd.urdf import UrdfLimits, UrdfReport

from .making import Good, Probe, World, calls, functions
from .of_contact import model_of

_URDF: Final = "<robot name='r'><link name='base'/></robot>"
_MJCF: Final = "<mujoco><worldbody><body name='a'><joint/><geom size='1'/></body></worldbody></mujoco>"


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with a file of each format, which no call changes."""
    made = tempfile.TemporaryDirectory()
    (Path(made.name) / "a.urdf").write_text(_URDF, encoding="utf-8")
    (Path(made.name) / "a.xml").write_text(_MJCF, encoding="utf-8")
    return made


def _here() -> Path:
    return Path(_folder().name)


def _urdf_options(_: World) -> Good:
    return {
        "floating": False,
        "remove_fixed_joints": True,
        "couple_joints": True,
        "packages": {"p": _here()},
        "limits": UrdfLimits(),
        "strict": True,
        "inertia": "keep",
        "snap": True,
        "gravity": (0, 0, -1),
        "report": UrdfReport(),
    }


def _mjcf_options(_: World) -> Good:
    return {
        "strict": True,
        "remove_fixed_joints": True,
        "couple_joints": True,
        "root": _here(),
        "limits": MjcfLimits(),
        "report": MjcfReport(),
    }


_FILES: Final = functions(
    rbd,
    {
        "load_urdf": lambda w: {"path": _here() / "a.urdf"} | _urdf_options(w),
        "parse_urdf": lambda w: {"text": _URDF, "file": "x"} | _urdf_options(w),
        "load_mjcf": lambda w: {"path": _here() / "a.xml"} | _mjcf_options(w),
        "parse_mjcf": lambda w: {"text": _MJCF, "file": "x", "directory": _here()} | _mjcf_options(w),
    },
)

_NAMES: Final = {
    "forward_kinematics": ("q",),
    "mass_matrix": ("q",),
    "inverse_mass_matrix": ("q",),
    "momentum_matrix": ("q",),
    "geometric_jacobian": ("q",),
    "dynamics_bias": ("q", "v"),
    "inverse_dynamics": ("q", "v", "vd"),
    "forward_dynamics": ("q", "v", "tau"),
    "inverse_dynamics_derivatives": ("q", "v", "vd"),
    "inverse_dynamics_second_derivatives": ("q", "v", "vd"),
    "forward_dynamics_derivatives": ("q", "v", "tau"),
    "step": ("q", "v", "tau"),
    "step_derivatives": ("q", "v", "tau"),
    "rollout": ("q", "v", "tau"),
}
"""Arrays that methods of compiled robots take."""
_WITH_WRENCHES: Final = {"dynamics_bias", "inverse_dynamics", "forward_dynamics", "step", "rollout"}


def _compiled(name: str, w: World, *rows: int) -> Good:
    """Return arguments of a method of a compiled robot with a parameter, for one state or rows of states."""
    good: Good = {array: np.full((*rows, 2), 0.1) for array in _NAMES[name]}
    good |= {"gravity": [0.0, 0.0, -1.0], "out": None, "threads": 1, "status": rbd.RowStatus()}
    if name in {"step", "step_derivatives", "rollout"}:
        good |= {"dt": 0.01}
    if name == "rollout":
        good |= {"steps": 2}
    if name == "geometric_jacobian":
        good |= {"body": w.tip}
    if name in _WITH_WRENCHES:
        good |= {"external_wrenches": {w.tip: np.zeros((*rows, 6))}, "wrench_frame": "root"}
    return good


def _with_gravity(w: World) -> rbd.CompiledRobot:
    if not hasattr(w, "with_gravity"):
        w.with_gravity = rbd.compile(w.m, ["gravity"])
    robot: rbd.CompiledRobot = w.with_gravity
    return robot


def _method(name: str, rows: tuple[int, ...], w: World) -> tuple[Callable[..., object], Good]:
    return getattr(_with_gravity(w), name), _compiled(name, w, *rows)


def _without_wrenches(name: str, w: World) -> tuple[Callable[..., object], Good]:
    return getattr(_with_gravity(w), name), _compiled(name, w) | {"external_wrenches": None, "wrench_frame": "body"}


def _on_a_body(name: str, rows: tuple[int, ...], w: World) -> tuple[Callable[..., object], Good]:
    """Return a method as a function of the wrench on one body."""
    good = _compiled(name, w, *rows)
    del good["external_wrenches"], good["status"]

    def call(wrench: object) -> object:
        return getattr(_with_gravity(w), name)(**good, external_wrenches={w.tip: wrench})

    return call, {"wrench": np.zeros((*rows, 6))}


_WRENCHES: Final[dict[str, Probe]] = {
    f"CompiledRobot.{name} without wrenches": partial(_without_wrenches, name) for name in sorted(_WITH_WRENCHES)
} | {
    f"CompiledRobot.{name} {of}, wrench on a body": partial(_on_a_body, name, rows)
    for name in sorted(_WITH_WRENCHES)
    for of, rows in {"of a state": (), "of rows": (3,)}.items()
}


def _live(name: str, w: World) -> tuple[Callable[..., object], Good]:
    """Return an algorithm as a function of the wrench on one body."""
    values = () if name == "dynamics_bias" else ([1.0, 2.0],)
    call = partial(getattr(rbd, name), w.state, *values)
    return lambda wrench: call(external_wrenches={w.tip: wrench}), {"wrench": w.push[w.tip]}


_LIVE: Final[dict[str, Probe]] = {
    f"rbd.{name}, wrench on a body": partial(_live, name)
    for name in (
        "inverse_dynamics",
        "forward_dynamics",
        "dynamics_bias",
        "inverse_dynamics_derivatives",
        "forward_dynamics_derivatives",
    )
}

_COMPILED: Final[dict[str, Probe]] = {
    f"CompiledRobot.{name} {of}, all options": partial(_method, name, rows)
    for name in _NAMES
    for of, rows in {"of a state": (), "of rows": (3,)}.items()
} | {
    "CompiledRobot.function of a body": lambda w: (
        partial(w.robot.function, "geometric_jacobian"),
        {"body": w.tip},
    ),
    "CompiledRobot.functions of names": lambda w: (
        lambda names: w.robot.functions("mass_matrix", names),
        {"names": "dynamics_bias"},
    ),
}

_RECORDED: Final = calls(
    lambda w: rbd.record(lambda state, u: state.q[0] * u[0], w.m, u=2),
    {
        "derivative": lambda w: {"of": "result", "wrt": "q", "space": "tangent", "mode": "reverse", "sparse": True},
        "sparsity": lambda w: {"of": "result", "wrt": "q", "space": "tangent"},
    },
    "RecordedFunction.",
) | {
    "rbd.record, shapes": lambda w: (
        lambda inputs: rbd.record(lambda state, u: u, w.m, u=inputs),
        {"inputs": (2,)},
    )
}


def _spring(w: World) -> Spring:
    return Spring(w.point, rbd.Point(w.m.root_frame, (0, 0, 0)), stiffness=1.0)


_SIMULATED: Final = (
    calls(
        lambda w: rbd.simulate(w.state, 0.002),
        {"energies": lambda w: {"mechanism": w.m, "forces": (_spring(w),), "collision_model": model_of(w)}},
        "Trajectory.",
    )
    | calls(lambda w: w.state, {"randomize": lambda w: {"rng": 1, "within_bounds": False}}, "MechanismState.")
    | {
        "rbd.simulation.Throttle": lambda w: (
            Throttle,
            {"rate": 1.0, "patience": 1.0, "clock": lambda: 0.0, "sleep": lambda seconds: None},
        ),
        "rbd.simulation.AdaptiveMuntheKaas": lambda w: (
            rbd.simulation.AdaptiveMuntheKaas,
            {"rtol": 1e-6, "atol": 1e-9, "most_steps": 10, "tableau": rbd.simulation.AdaptiveMuntheKaas().tableau},
        ),
    }
)


def _study(w: World) -> Good:
    model = model_of(w)
    return {"collision_model": model, "friction": 0.5, "joints": rbd.contact.JointOptions(stiffness=100.0)}


def _rollout(w: World, folder: object = None, **options: Any) -> object:
    start = {"q": np.zeros((2, 2))}
    run = partial(rbd.rollout.rollout, w.m, start, None, 0.02, dt=0.01, seed=1, progress=False)
    return _in_a_folder(lambda place: run(folder=place, **options), folder)


def _export(write: Callable[..., object], w: World, directory: object) -> object:
    return _in_a_folder(partial(write, w.robot.functions("mass_matrix")), directory)


def _in_a_folder(write: Callable[[Any], object], place: object) -> object:
    """Write to a place, beginning in an empty folder, which also stands for the root of all folders in `wrong.py`."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return write(Path(folder) if isinstance(place, Path) else place)


def _axes(projection: str | None = None) -> Any:
    from matplotlib.figure import Figure

    return Figure().add_subplot(projection=projection)


def _plots(w: World) -> dict[str, Good]:
    run = rbd.simulate(w.state, 0.02, dt=0.01)
    return {
        "plot_trajectory": {"trajectory": run, "ax": _axes()},
        "plot_mechanism": {"state": w.state, "ax": _axes("3d")},
        "plot_energies": {"trajectory": run, "mechanism": w.m, "collision_model": model_of(w), "ax": _axes()},
        "plot_shapes": {"state": w.state, "model": model_of(w), "ax": _axes("3d")},
    }


def _plot(name: str, w: World) -> tuple[Callable[..., object], Good]:
    return getattr(rbd.viz, name), _plots(w)[name]


def _gaps(w: World) -> tuple[Callable[..., object], Good]:
    linkage = rbd.robots.four_bar()
    state = rbd.MechanismState(linkage, rbd.robots.four_bar_configuration(1.0))
    good = {"trajectory": rbd.simulate(state, 0.02, dt=0.01), "mechanism": linkage, "ax": _axes()}
    return rbd.viz.plot_gaps, good


_OTHERS: Final[dict[str, Probe]] = {
    "rbd.Joint, frames": lambda w: (
        partial(rbd.Joint, "j", rbd.Fixed()),
        {"frame_before": w.a, "frame_after": w.b},
    ),
    "rbd.rollout.rollout, options": lambda w: (partial(_rollout, w), _study(w) | {"folder": None}),
    "rbd.export.write_c_library, directory": lambda w: (
        lambda directory: _export(rbd.export.write_c_library, w, directory),
        {"directory": "library"},
    ),
    "rbd.export.write_wasm, directory": lambda w: (
        lambda directory: _export(rbd.export.write_wasm, w, directory),
        {"directory": "library"},
    ),
    "rbd.contact.Cylinder, hull": lambda w: (partial(rbd.contact.Cylinder, w.a, 1.0, 0.1), {"hull_points": 16}),
    "rbd.contact.Ellipsoid, hull": lambda w: (
        partial(rbd.contact.Ellipsoid, w.a, (0.1, 0.2, 0.3)),
        {"hull_points": 16},
    ),
    "rbd.viz.plot_gaps, axes": _gaps,
    **{
        f"rbd.viz.{name}, axes": partial(_plot, name)
        for name in ("plot_trajectory", "plot_mechanism", "plot_energies", "plot_shapes")
    },
}

OPTIONS: Final[dict[str, Probe]] = {
    **{f"{name}, all options": probe for name, probe in (_FILES | _RECORDED | _SIMULATED).items()},
    **_COMPILED,
    **_WRENCHES,
    **_LIVE,
    **_OTHERS,
}
