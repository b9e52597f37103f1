"""Valid calls of joints, bodies, mechanisms and states."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

import rbd
import rbd.testing
from rbd import FreeVector, MechanismState, Point, Transform

from .making import Good, World, calls, functions, setters

_PARAMETERS = ("damping", "friction", "friction_velocity", "armature", "bound_stiffness", "bound_damping")
_BOUNDS = ("position_bounds", "velocity_bounds", "effort_bounds")
JOINTS: Final = functions(
    rbd,
    {
        "Revolute": lambda w: {"axis": (0, 0, 1)},
        "Prismatic": lambda w: {"axis": (0, 0, 1)},
        "Screw": lambda w: {"axis": (0, 0, 1), "pitch": 0.1},
        "Planar": lambda w: {"x": (1, 0, 0), "y": (0, 1, 0)},
        "SinCosRevolute": lambda w: {"axis": (0, 0, 1)},
        "Universal": lambda w: {"axis1": (0, 0, 1), "axis2": (0, 1, 0)},
        "RigidBody": lambda w: {"name": "b", "inertia": w.inertia},
        "Joint": lambda w: (
            {"name": "j", "joint_type": rbd.Fixed()}
            | dict.fromkeys(_BOUNDS)
            | dict.fromkeys(_PARAMETERS, 0.0)
            | {"joint_type": rbd.Revolute((0, 0, 1)), "friction_velocity": 1e-3}
        ),
    },
) | {
    f"JointType.{name}": partial(
        lambda name, good, w: (getattr(rbd.Revolute((0, 0, 1)), name), good(w)),
        name,
        good,
    )
    for name, good in {"random": lambda w: {"rng": np.random.default_rng(1)}}.items()
}

MECHANISMS: Final = (
    functions(
        rbd,
        {
            "Mechanism": lambda w: {"root": "world", "gravity": (0, 0, -1)},
            "FrameMap": lambda w: {"frames": {}, "bodies": {}, "joints": {}},
            "mass": lambda w: {"mechanism": w.m},
            "subtree_mass": lambda w: {"mechanism": w.m, "body": w.tip},
            "HuntCrossley": lambda w: {"stiffness": 1.0, "damping": 1.0, "exponent": 1.5},
            "ViscoelasticCoulomb": lambda w: {"coefficient": 1.0, "stiffness": 1.0, "damping": 1.0},
            "SoftContact": lambda w: {"normal": rbd.HuntCrossley(), "friction": None},
        },
    )
    | calls(
        lambda w: w.m,
        {
            "body": lambda w: {"body": w.tip},
            "joint": lambda w: {"joint": w.joint},
            "frame": lambda w: {"frame": "world", "tag": None},
            "attach": lambda w: {
                "predecessor": w.tip,
                "successor": rbd.RigidBody("new"),
                "joint": rbd.Joint("new", rbd.Fixed()),
                "joint_pose": None,
                "successor_pose": None,
            },
            "attach_mechanism": lambda w: {
                "body": w.tip,
                "child": rbd.robots.chain(2),
                "child_root_pose": None,
                "prefix": "x",
            },
            "remove_subtree": lambda w: {"body": w.tip},
            "replace_joint": lambda w: {"old": w.joint, "new": rbd.Joint("new", rbd.Fixed())},
            "submechanism": lambda w: {"body": w.m.bodies[1]},
            "maximal_coordinates": lambda w: {"floating": rbd.QuaternionFloating},
            "path": lambda w: {"source": "world", "target": w.tip},
            "predecessor": lambda w: {"joint": w.joint},
            "successor": lambda w: {"joint": w.joint},
            "add_half_space": lambda w: {"half_space": _floor(w.m)},
            "remove_half_space": lambda w: {"half_space": w.m.add_half_space(_floor(w.m))},
        },
        "Mechanism.",
    )
    | calls(
        lambda w: w.tip,
        {
            "set_inertia": lambda w: {"inertia": w.tip.inertia},
            "add_frame": lambda w: {"transform": Transform(rbd.Frame("new"), w.tip.default_frame)},
            "fixed_transform": lambda w: {"from_frame": w.tip.default_frame, "to_frame": w.tip.default_frame},
            "add_contact_point": lambda w: {"point": w.point, "model": rbd.SoftContact()},
            "frame": lambda w: {"name": w.tip.default_frame.name},
            "has_frame": lambda w: {"frame": w.tip.default_frame},
        },
        "RigidBody.",
    )
    | setters(lambda w: w.joint, _PARAMETERS + _BOUNDS, "Joint.")
    | setters(lambda w: w.m, ["gravity"], "Mechanism.")
)


def _coupled(w: World) -> Any:
    linkage = _linkage(w)
    linkage.couple("joint1", "joint2", name="gear")
    return linkage


def _linkage(w: World) -> rbd.Mechanism:
    if not hasattr(w, "linkage"):
        w.linkage = rbd.robots.four_bar()
    return w.linkage


def _solved(m: rbd.Mechanism) -> rbd.DynamicsResult:
    return rbd.dynamics(rbd.DynamicsResult(m), MechanismState(m))


def _floor(m: rbd.Mechanism) -> Any:
    return rbd.contact.HalfSpace(Point(m.root_frame, (0, 0, -9)), FreeVector(m.root_frame, (0, 0, 1)))


_JOINT: Callable[[World], Good] = lambda w: {"joint": w.joint}  # noqa: E731
_BODY: Callable[[World], Good] = lambda w: {"body": w.tip}  # noqa: E731
_QUERIES: dict[str, Callable[[World], Good]] = {
    "with_scalars": lambda w: {"q": [0.1, 0.2], "v": [0.1, 0.2]},
    "configuration": _JOINT,
    "velocity": _JOINT,
    "q_slice": _JOINT,
    "v_slice": _JOINT,
    "transform_to_root": lambda w: {"place": w.tip},
    "relative_transform": lambda w: {"a": w.tip, "b": w.tip},
    "twist": _BODY,
    "relative_twist": lambda w: {"body": w.tip, "base": w.m.root_body, "frame": w.tip.default_frame},
    "bias_acceleration": _BODY,
    "composite_inertia": _BODY,
    "joint_transform": _JOINT,
    "motion_subspace": _JOINT,
    "transform": lambda w: {"value": w.point, "frame": w.m.root_frame},
    "configuration_derivative": lambda w: {"out": np.empty(2)},
    "local_coordinates": lambda w: {"q0": [0.1, 0.2]},
    "constraint_wrench_subspace": _JOINT,
    "inertia": _BODY,
    "placement": _JOINT,
}
STATES: Final = (
    functions(
        rbd,
        {
            "MechanismState": lambda w: {"mechanism": w.m, "q": [0.1, 0.2], "v": [0.3, 0.4]},
            "ScalarState": lambda w: {
                "mechanism": w.m,
                "q": [0.1, 0.2],
                "v": [0.3, 0.4],
                "parameters": None,
                "regroup": False,
            },
            "DynamicsResult": lambda w: {"mechanism": w.m},
        },
    )
    | calls(lambda w: w.state, _QUERIES, "MechanismState.")
    | calls(
        lambda w: w.state,
        {
            "randomize": lambda w: {"rng": 1},
            "global_coordinates": lambda w: {"q0": [0.1, 0.2], "phi": [0.1, 0.2]},
        },
        "MechanismState.",
    )
    | {
        "MechanismState.set_configuration": lambda w: (lambda q: w.state.set_configuration(q), {"q": [0.1, 0.2]}),
        "MechanismState.set_configuration of a joint": lambda w: (
            lambda joint, value: w.state.set_configuration(joint, value),
            {"joint": w.joint, "value": [0.1]},
        ),
        "MechanismState.set_velocity": lambda w: (lambda v: w.state.set_velocity(v), {"v": [0.1, 0.2]}),
        "MechanismState.set_velocity of a joint": lambda w: (
            lambda joint, value: w.state.set_velocity(joint, value),
            {"joint": w.joint, "value": [0.1]},
        ),
    }
    | calls(lambda w: w.state.with_scalars(), {k: _QUERIES[k] for k in _QUERIES if k != "with_scalars"}, "ScalarState.")
    | calls(
        lambda w: rbd.dynamics(rbd.DynamicsResult(w.m), w.state),
        {
            "acceleration": _BODY,
            "proper_acceleration": _BODY,
            "contact_wrench": _BODY,
            "joint_wrench": _JOINT,
        },
        "DynamicsResult.",
    )
    | {
        "DynamicsResult.loop_wrench": lambda w: (_solved(_linkage(w)).loop_wrench, {"joint": w.linkage.loop_joints[0]}),
        "Mechanism.remove_joint": lambda w: (_linkage(w).remove_joint, {"joint": w.linkage.loop_joints[0]}),
        "Mechanism.couple": lambda w: (
            _linkage(w).couple,
            {"joint": "joint1", "to": "joint2", "ratio": 2.0, "offset": 0.5, "name": "gear"},
        ),
        "Mechanism.couple by a polynomial": lambda w: (
            _linkage(w).couple,
            {"joint": "joint1", "to": "joint2", "polynomial": [0.1, 0.2, 0.3]},
        ),
        "Mechanism.uncouple": lambda w: (_coupled(w).uncouple, {"coupling": "gear"}),
        "Mechanism.coupling": lambda w: (_coupled(w).coupling, {"coupling": "gear"}),
        "DynamicsResult.coupling_torque": lambda w: (_solved(_coupled(w)).coupling_torque, {"coupling": "gear"}),
    }
)
