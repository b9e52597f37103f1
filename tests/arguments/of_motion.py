"""Valid calls of simulation, scalars, robots, files and rational kinematics."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import rbd
import rbd.testing
from rbd import Point
from rbd.simulation import Event, InMemory

from .making import World, calls, functions

SIMULATION: Final = functions(
    rbd,
    {
        "simulate": lambda w: {
            "state": w.state,
            "final_time": 0.002,
            "control": None,
            "dt": 1e-3,
            "integrator": "munthe-kaas-rk4",
            "external": None,
            "forces": (),
            "stabilization": None,
            "contact_states": None,
            "events": [Event(lambda t, state: 1.0)],
            "monitors": (),
            "sink": InMemory(),
            "realtime": None,
            "progress": False,
        },
        "Trajectory": lambda w: {
            "t": [0.0, 1.0],
            "q": np.zeros((2, 2)),
            "v": np.zeros((2, 2)),
            "s": np.zeros((2, 0)),
            "events": (),
        },
        "ZeroOrderHold": lambda w: {"controller": lambda t, state: None, "period": 0.1},
        "PDGains": lambda w: {"k": 1.0, "d": 1.0, "frame": None},
        "SE3PDGains": lambda w: {"angular": rbd.PDGains(1.0, 1.0), "linear": rbd.PDGains(1.0, 1.0)},
        "pd": lambda w: {
            "gains": rbd.PDGains(1.0, 1.0),
            "x": 1.0,
            "rate": 1.0,
            "desired": None,
            "desired_rate": None,
            "method": "geodesic",
        },
        "Dynamics": lambda w: {
            "mechanism": w.m,
            "control": None,
            "external": None,
            "forces": (),
            "stabilization": None,
        },
    },
) | calls(
    lambda w: rbd.Dynamics(w.m),
    {
        "__call__": lambda w: {"t": 0.0, "x": [0.1, 0.2, 0.3, 0.4], "out": None},
        "x0": lambda w: {"state": w.state, "contact_states": None},
        "state": lambda w: {"x": [0.1, 0.2, 0.3, 0.4]},
    },
    "Dynamics.",
)

SCALARS: Final = functions(
    rbd.scalars,
    {
        name: (lambda w: {"x": 0.5})
        for name in ("sin", "cos", "tan", "asin", "acos", "sqrt", "exp", "log", "tanh", "absolute")
    }
    | {
        "atan2": lambda w: {"y": 0.5, "x": 0.5},
        "where": lambda w: {"condition": rbd.scalars.less(0.0, 1.0), "a": 1.0, "b": 2.0},
        "const": lambda w: {"n": 1, "d": 2},
    },
    "rbd.scalars.",
)

ROBOTS: Final = functions(
    rbd.robots,
    {
        "double_pendulum": lambda w: {
            "lengths": (1.0, 1.0),
            "masses": (1.0, 1.0),
            "radius": 0.1,
            "damping": (0.0, 0.0),
        },
        "four_bar": lambda w: {"lengths": (1.0, 0.4, 0.9, 0.8), "masses": (0.5, 1.0, 0.9)},
        "chain": lambda w: {"n": 2, "length": 0.1, "mass": 0.1, "radius": 0.01},
    },
    "rbd.robots.",
) | functions(
    rbd.testing,
    {
        name: lambda w: {"joint_types": [rbd.Revolute((0, 0, 1))], "rng": np.random.default_rng(1)}
        for name in ("random_chain", "random_tree", "random_floating_tree")
    }
    | {
        "check_joint_type": lambda w: {
            "joint_type": rbd.Revolute((0, 0, 1)),
            "rng_seed": 0,
            "samples": 1,
            "spread": 3.0,
        }
    },
    "rbd.testing.",
)

_URDF = "<robot name='r'><link name='base'/></robot>"
FILES: Final = functions(
    rbd,
    {
        "parse_urdf": lambda w: {
            "text": _URDF,
            "file": "x",
            "floating": False,
            "remove_fixed_joints": True,
            "packages": None,
            "strict": True,
            "snap": True,
            "gravity": (0, 0, -1),
            "report": None,
        },
        "load_urdf": lambda w: {"path": "no such file"},
        "parse_mjcf": lambda w: {"text": "<mujoco/>", "strict": True, "report": None},
        "load_mjcf": lambda w: {"path": "no such file"},
    },
) | calls(lambda w: rbd.mjcf.MjcfReport(), {"controller": lambda w: {"mechanism": w.m, "control": []}}, "MjcfReport.")

RATIONAL: Final = (
    functions(rbd.rational, {"RationalForwardKinematics": lambda w: {"mechanism": w.m}}, "rbd.rational.")
    | functions(rbd.rational, {"HalfTangent": lambda w: {"tangent": 0.5}}, "rbd.rational.")
    | calls(
        lambda w: _rational(w),
        {
            "s_index": lambda w: {"joint": w.joint},
            "variables": lambda w: {"q_star": [0.1, 0.2], "exact": False},
            "pose_polynomial": lambda w: {"q_star": [0.1, 0.2], "body": w.tip, "expressed_in": w.m.root_body},
            "compute_s": lambda w: {"q": [0.1, 0.2], "q_star": [0.0, 0.0], "wrap": False},
            "compute_q": lambda w: {"s": [0.1, 0.2], "q_star": [0.0, 0.0]},
            "rational": lambda w: {"polynomial": _pose(w)},
            "bounds": lambda w: {"pose": _pose(w), "s_low": [0.0, 0.0], "s_high": [0.1, 0.2]},
        },
        "RationalForwardKinematics.",
    )
    | calls(
        lambda w: _pose(w).translation[0],
        {
            "__call__": lambda w: {"s": [0.1, 0.2]},
            "derivative": lambda w: {"index": 0},
            "isclose": lambda w: {"other": _pose(w).translation[0], "atol": 1e-9},
            "coefficient": lambda w: {"monomial": "cos[0]"},
            "degree": lambda w: {"name": "cos[0]"},
        },
        "Polynomial.",
    )
    | calls(
        lambda w: _rational(w).rational(_pose(w)).translation[0],
        {
            "__call__": lambda w: {"s": [0.1, 0.2]},
            "derivative": lambda w: {"index": 0},
            "isclose": lambda w: {"other": _rational(w).rational(_pose(w)).translation[0], "atol": 1e-9},
        },
        "RationalFunction.",
    )
)


def _rational(w: World) -> Any:
    if not hasattr(w, "rational"):
        w.rational = rbd.rational.RationalForwardKinematics(w.m)
    return w.rational


def _pose(w: World) -> Any:
    return _rational(w).pose_polynomial([0.0, 0.0], w.tip, w.m.root_body)


PIECES: Final = functions(
    rbd.simulation,
    {
        "Event": lambda w: {
            "function": lambda t, state: 1.0,
            "terminal": False,
            "direction": 0,
            "effect": None,
            "name": "x",
        },
        "Spring": lambda w: {
            "first": w.point,
            "second": Point(w.m.root_frame, (0, 0, 0)),
            "stiffness": 1.0,
            "damping": 0.0,
            "rest_length": 0.0,
        },
        "JointSpring": lambda w: {"joint": w.joint, "stiffness": 1.0, "damping": 0.0, "rest": [0.0]},
        "EnergyMonitor": lambda w: {"forces": (), "limit": 1.0},
        "LoopGapMonitor": lambda w: {"limit": 1.0},
        "RingBuffer": lambda w: {"size": 3},
        "Throttle": lambda w: {"rate": 1.0, "patience": 1.0, "clock": lambda: 0.0},
        "AdaptiveMuntheKaas": lambda w: {"rtol": 1e-6, "atol": 1e-9, "most_steps": 10},
        "MuntheKaas": lambda w: {"tableau": rbd.simulation.HEUN},
        "NpzFile": lambda w: {"path": "x.npz"},
    },
    "rbd.simulation.",
) | calls(
    lambda w: rbd.simulate(w.state, 0.002),
    {
        "show_on": lambda w: {"state": w.state, "t": 0.001},
        "energies": lambda w: {"mechanism": w.m},
        "load": lambda w: {"path": "no such file"},
    },
    "Trajectory.",
)
