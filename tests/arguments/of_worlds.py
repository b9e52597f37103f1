"""Valid calls of many worlds, of export, and of plots; what writes files gets a folder that stays the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

import rbd
import rbd.viz
from rbd import FreeVector, Point
from rbd.contact import JointOptions
from rbd.export import write_c_library, write_wasm
from rbd.rollout import Worlds, rollout

from .making import Good, Probe, World, calls, functions
from .of_contact import model_of


def _control(w: World) -> Any:
    return rbd.record(lambda state, action: action, w.m, action=2)


def _stop(w: World) -> Any:
    return rbd.record(lambda state: state.q[0] - 10, w.m)


_SETTINGS: Callable[[World], Good] = lambda w: {  # noqa: E731
    "mechanism": w.m,
    "dt": 0.01,
    "control": _control(w),
    "integrator": "semi-implicit-euler",
    "substeps": 2,
    "stop": _stop(w),
}


def _worlds(w: World) -> Worlds:
    return Worlds(w.m, count=3, dt=0.01, control=_control(w), parameters=["gravity"], threads=1)


def _studied(w: World) -> Any:
    start = {"q": np.zeros((3, 2)), "v": np.zeros((3, 2))}
    return rollout(w.m, start, None, 0.02, dt=0.01, seed=0, progress=False)


WORLDS: Final[dict[str, Probe]] = (
    functions(
        rbd.rollout,
        {
            "Worlds": lambda w: _SETTINGS(w) | {"count": 3, "parameters": ["gravity"], "threads": 1},
            "rollout": lambda w: (
                _SETTINGS(w)
                | {"initial_states": {"q": np.zeros((3, 2))}, "final_time": 0.02, "seed": 1, "progress": False}
                | {"executor": "native", "cases": None, "every": 0.01, "chunk": 2}
            ),
        },
        "rbd.rollout.",
    )
    | {
        "rbd.rollout.Worlds with contact": lambda w: (
            partial(Worlds, w.m, count=2, dt=0.01),
            {"collision_model": model_of(w), "friction": 0.5, "joints": JointOptions(stiffness=100.0)},
        ),
        "rbd.rollout.rollout of a function": lambda w: (
            partial(rollout, w.m, control=None, final_time=0.02, dt=0.01, progress=False),
            {"initial_states": lambda rng: {"q": rng.uniform(-1.0, 1.0, 2)}, "cases": 3, "seed": 1},
        ),
    }
    | calls(
        _worlds,
        {
            "step": lambda w: {"actions": np.zeros((3, 2)), "steps": 2},
            "reset": lambda w: {"mask": [True, False, True], "q": [0.1, 0.2], "v": [0.0, 0.0], "gravity": [0, 0, -1.0]},
            "explain": lambda w: {"world": 0},
        },
        "Worlds.",
    )
    | calls(
        _studied,
        {"explain": lambda w: {"case": 0}, "start": lambda w: {"case": 0}, "replay": lambda w: {"case": 0}},
        "Rollouts.",
    )
)


def _written(write: Callable[..., object], w: World) -> Callable[..., object]:
    """Return a function that writes into a folder of its own."""

    def call(functions: Mapping[str, Any], **options: Any) -> object:
        with tempfile.TemporaryDirectory() as folder:
            return write(functions, folder, **options)

    return call


def _exported(w: World) -> Good:
    return {"functions": w.robot.functions("mass_matrix"), "prefix": "robot"}


EXPORT: Final[dict[str, Probe]] = {
    "rbd.export.write_c_library": lambda w: (_written(write_c_library, w), _exported(w) | {"dtype": "float64"}),
    "rbd.export.write_wasm": lambda w: (_written(write_wasm, w), _exported(w)),
    "CompiledRobot.functions": lambda w: (lambda name: w.robot.functions(name), {"name": "mass_matrix"}),
}


def _moving(w: World) -> Any:
    if not hasattr(w, "trajectory"):
        w.trajectory = rbd.simulate(w.state, 0.02, dt=0.01)
    return w.trajectory


def _four_bar(w: World) -> Any:
    w.linkage = rbd.robots.four_bar()
    return rbd.simulate(rbd.MechanismState(w.linkage, rbd.robots.four_bar_configuration(1.0)), 0.02, dt=0.01)


def _forces(w: World) -> list[rbd.viz.Force]:
    return [rbd.viz.Force(Point(w.m.root_frame, (0, 0, 1)), FreeVector(w.m.root_frame, (1, 0, 0)))]


PLOTS: Final[dict[str, Probe]] = functions(
    rbd.viz,
    {
        "Force": lambda w: {"point": w.point, "vector": w.vector},
        "contact_forces": lambda w: {"distances": model_of(w).distances(w.state), "multipliers": [1.0]},
        "plot_mechanism": lambda w: {"state": w.state, "frames": True, "names": True, "forces": _forces(w)},
        "plot_trajectory": lambda w: {"trajectory": _moving(w), "mechanism": w.m, "quantity": "v"},
        "plot_energies": lambda w: {"trajectory": _moving(w), "mechanism": w.m, "forces": ()},
        "plot_gaps": lambda w: {"trajectory": _four_bar(w), "mechanism": w.linkage},
        "plot_shapes": lambda w: {
            "state": w.state,
            "model": model_of(w),
            "distances": w.model.distances(w.state),
            "colors": {w.tip.name: "#ff0000"},
        },
    },
    "rbd.viz.",
)
