"""Valid calls of algorithms: live, interpreted and compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

import rbd
import rbd.testing

from .making import Good, Probe, World, calls, functions, state_out, tau, vd

_ALGORITHMS: dict[str, Callable[[World], Good]] = {
    "mass_matrix": state_out(2, 2),
    "inverse_mass_matrix": state_out(2, 2),
    "coriolis_matrix": state_out(2, 2),
    "gravity_torques": state_out(2),
    "passive_torques": state_out(2),
    "centroidal_momentum_matrix": state_out(6, 2),
    "constraint_jacobian": state_out(0, 2),
    "constraint_error": state_out(0),
    "momentum": lambda w: {"state": w.state},
    "momentum_rate_bias": lambda w: {"state": w.state},
    "kinetic_energy": lambda w: {"state": w.state},
    "gravitational_potential_energy": lambda w: {"state": w.state},
    "loop_gap": lambda w: {"state": w.state},
    "inverse_dynamics": lambda w: (
        vd(w) | {"external_wrenches": w.push, "actuated": None, "out": np.empty(2), "result": rbd.DynamicsResult(w.m)}
    ),
    "dynamics_bias": lambda w: {"state": w.state, "external_wrenches": w.push, "out": np.empty(2)},
    "dynamics": lambda w: (
        {"result": rbd.DynamicsResult(w.m)} | tau(w) | {"stabilization": rbd.Baumgarte(0.1), "contact_states": None}
    ),
    "spatial_accelerations": lambda w: vd(w),
    "relative_acceleration": lambda w: vd(w) | {"body": w.tip, "base": w.m.root_body, "frame": None},
    "Baumgarte": lambda w: {"time_constant": 0.1},
    "geometric_jacobian": lambda w: {
        "state": w.state,
        "path": w.path,
        "frame": w.tip.default_frame,
        "out": np.empty((6, 2)),
    },
    "point_jacobian": lambda w: {"state": w.state, "path": w.path, "point": w.point, "out": np.empty((3, 2))},
    "momentum_matrix": lambda w: {"state": w.state, "frame": w.tip.default_frame, "out": np.empty((6, 2))},
    "center_of_mass": lambda w: {"state": w.state, "bodies": [w.tip]},
    "articulated_inertia": lambda w: {"state": w.state, "body": w.tip},
    "forward_dynamics": lambda w: (
        tau(w) | {"prescribed": None, "stabilization": rbd.Baumgarte(0.1), "out": np.empty(2)}
    ),
    "constraint_bias": lambda w: {"state": w.state, "stabilization": None, "out": np.empty(0)},
    "close_loops": lambda w: {"state": w.state, "fixed": ()},
    "inverse_dynamics_derivatives": lambda w: vd(w) | {"external_wrenches": w.push, "space": "tangent"},
    "forward_dynamics_derivatives": lambda w: tau(w) | {"space": "tangent", "stabilization": None},
    "bias_derivatives": lambda w: {"state": w.state, "external_wrenches": w.push, "space": "tangent"},
    "mass_matrix_product_derivatives": lambda w: {"state": w.state, "x": [1.0, 2.0], "space": "tangent"},
    "inverse_mass_product_derivatives": lambda w: {"state": w.state, "f": [1.0, 2.0], "space": "tangent"},
    "step_derivatives": lambda w: (
        tau(w) | {"dt": 0.01, "space": "tangent", "integrator": "munthe-kaas-rk4", "stabilization": None}
    ),
    "inverse_dynamics_second_derivatives": lambda w: vd(w) | {"space": "tangent"},
    "regressor": vd,
    "articulated_bodies": lambda w: tau(w) | {"prescribed": None, "at": None},
    "articulated_mobility": lambda w: {"state": w.state, "body": w.tip, "at": None},
}


def _interpreted(name: str, w: World) -> tuple[Callable[..., object], Good]:
    def call(**arguments: Any) -> object:
        with rbd.interpreted():
            return getattr(rbd, name)(**arguments)

    return call, _ALGORITHMS[name](w)


ALGORITHMS: Final = functions(rbd, _ALGORITHMS)
INTERPRETED: Final[dict[str, Probe]] = {
    f"{name}, interpreted": partial(_interpreted, name)
    for name in ("inverse_dynamics", "dynamics", "forward_dynamics", "geometric_jacobian", "step_derivatives")
}

_DERIVATIVES: Callable[[World], Good] = lambda w: {  # noqa: E731
    "q": [0.1, 0.2],
    "v": [0.1, 0.2],
    "tau": [1.0, 2.0],
    "space": "tangent",
    "out": None,
    "threads": 1,
}
_STEP: Callable[[World], Good] = lambda w: {  # noqa: E731
    "q": [0.1, 0.2],
    "v": [0.1, 0.2],
    "tau": [1.0, 2.0],
    "dt": 0.01,
    "s": None,
    "integrator": "munthe-kaas-rk4",
    "stabilization": None,
    "out": None,
    "threads": 1,
}


def _arrays(*names: str) -> Callable[[World], Good]:
    return lambda w: {name: [0.1, 0.2] for name in names} | {"out": None, "threads": 1}


COMPILED: Final = (
    functions(
        rbd,
        {
            "compile": lambda w: {"mechanism": w.m, "parameters": (), "progress": False},
            "record": lambda w: {"function": lambda state, u: state.q[0] + u[0], "mechanism": w.m, "u": 2},
        },
    )
    | calls(
        lambda w: w.robot,
        {
            "forward_kinematics": _arrays("q"),
            "inverse_dynamics": _arrays("q", "v", "vd"),
            "mass_matrix": _arrays("q"),
            "inverse_mass_matrix": _arrays("q"),
            "dynamics_bias": _arrays("q", "v"),
            "forward_dynamics": _arrays("q", "v", "tau"),
            "momentum_matrix": _arrays("q"),
            "inverse_dynamics_derivatives": lambda w: {
                ("vd" if name == "tau" else name): value for name, value in _DERIVATIVES(w).items()
            },
            "forward_dynamics_derivatives": _DERIVATIVES,
            "geometric_jacobian": lambda w: {"q": [0.1, 0.2], "body": w.tip, "out": None, "threads": 1},
            "step": _STEP,
            "rollout": lambda w: _STEP(w) | {"steps": 3},
        },
        "CompiledRobot.",
    )
    | calls(
        lambda w: rbd.compile(w.m, ["gravity"]),
        {"mass_matrix": _arrays("q"), "dynamics_bias": lambda w: _arrays("q", "v")(w) | {"gravity": [0, 0, 1.0]}},
        "CompiledRobot with parameters.",
    )
    | calls(
        lambda w: rbd.record(lambda state, u: state.q[0] * u[0], w.m, u=2),
        {
            "__call__": lambda w: {"u": [0.1, 0.2], "out": None, "threads": 1, "q": [0.1, 0.2], "v": [0.1, 0.2]},
            "interpret": lambda w: {"u": [0.1, 0.2], "q": [0.1, 0.2], "v": [0.1, 0.2]},
            "derivative": lambda w: {"of": "result", "wrt": "q"},
            "sparsity": lambda w: {"of": "result", "wrt": "q"},
            "to_c": lambda w: {"name": "f"},
            "compile": lambda w: {"progress": False},
        },
        "RecordedFunction.",
    )
)
