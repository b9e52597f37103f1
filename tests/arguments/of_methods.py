"""Valid calls of methods that the other tables do not have, and of functions outside of `rbd` itself."""

from __future__ import annotations

from typing import Final

import numpy as np

import rbd
import rbd.testing
from rbd import Point, Transform, Twist

from .making import Good, Probe, World, calls, functions, tau

_SPATIAL: Final = (
    functions(
        Transform,
        {
            "from_matrix": lambda w: {"from_frame": w.a, "to_frame": w.b, "matrix": np.eye(4)},
            "from_quaternion": lambda w: {
                "from_frame": w.a,
                "to_frame": w.b,
                "quaternion": (1, 0, 0, 0),
                "translation": (1, 2, 3),
            },
        },
        "Transform.",
    )
    | functions(
        rbd.SpatialInertia,
        {
            "box": lambda w: {"frame": w.a, "mass": 1.0, "size": (1, 2, 3), "com": (0, 0, 1)},
            "sphere": lambda w: {"frame": w.a, "mass": 1.0, "radius": 1.0, "com": None},
            "cylinder": lambda w: {"frame": w.a, "mass": 1.0, "radius": 1.0, "length": 1.0, "com": None},
            "rod": lambda w: {"frame": w.a, "mass": 1.0, "length": 1.0, "com": None},
            "point_mass": lambda w: {"frame": w.a, "mass": 1.0, "at": (0, 0, 1)},
        },
        "SpatialInertia.",
    )
    | calls(
        lambda w: Point(w.a, (1, 2, 3)),
        {
            "expect": lambda w: {"frame": w.a},
            "transformed": lambda w: {"tf": w.tf},
            "__truediv__": lambda w: {"divisor": 2.0},
            "__mul__": lambda w: {"factor": 2.0},
        },
        "Point.",
    )
    | calls(
        lambda w: w.vector,
        {
            "expect": lambda w: {"frame": w.a},
            "transformed": lambda w: {"tf": w.tf},
            "isclose": lambda w: {"other": w.vector, "atol": 1e-9},
        },
        "FreeVector.",
    )
    | calls(
        lambda w: w.twist,
        {
            "expect": lambda w: {"body": w.a, "base": w.b, "frame": w.a},
            "isclose": lambda w: {"other": w.twist, "atol": 1e-9},
            "__mul__": lambda w: {"factor": 2.0},
            "__truediv__": lambda w: {"divisor": 2.0},
        },
        "Twist.",
    )
    | functions(Twist, {"zero": lambda w: {"body": w.a, "base": w.b, "frame": w.a}}, "Twist.")
    | calls(
        lambda w: rbd.SpatialAcceleration.zero(w.a, w.b, w.a),
        {
            "with_base": lambda w: {"base": w.b},
            "with_body": lambda w: {"body": w.b},
            "expect": lambda w: {"body": w.a, "base": w.b, "frame": w.a},
        },
        "SpatialAcceleration.",
    )
    | calls(
        lambda w: w.wrench,
        {
            "expect": lambda w: {"frame": w.a},
            "isclose": lambda w: {"other": w.wrench, "atol": 1e-9},
            "__truediv__": lambda w: {"divisor": 2.0},
        },
        "Wrench.",
    )
    | functions(rbd.Wrench, {"zero": lambda w: {"frame": w.a}}, "Wrench.")
    | functions(rbd.Momentum, {"zero": lambda w: {"frame": w.a}}, "Momentum.")
    | functions(Point, {"origin": lambda w: {"frame": w.a}}, "Point.")
    | functions(rbd.FreeVector, {"zero": lambda w: {"frame": w.a}}, "FreeVector.")
    | calls(
        lambda w: w.jacobian,
        {
            "expect": lambda w: {"body": w.a, "base": w.b, "frame": w.a},
            "acceleration": lambda w: {"vd": [1.0, 2.0]},
            "isclose": lambda w: {"other": w.jacobian, "atol": 1e-9},
        },
        "GeometricJacobian.",
    )
    | calls(
        lambda w: rbd.WrenchMatrix(w.a, np.ones((3, 2)), np.ones((3, 2))),
        {"power": lambda w: {"twist": w.twist}, "transformed": lambda w: {"tf": w.tf}},
        "WrenchMatrix.",
    )
    | calls(
        lambda w: rbd.MomentumMatrix(w.a, np.ones((3, 2)), np.ones((3, 2))),
        {"rate": lambda w: {"vd": [1.0, 2.0]}},
        "MomentumMatrix.",
    )
    | calls(
        lambda w: rbd.PointJacobian(w.a, np.ones((3, 2))), {"transformed": lambda w: {"tf": w.tf}}, "PointJacobian."
    )
)

_BODY = ("children", "joints_of", "parent", "parent_joint", "subtree")
_MECHANISMS: Final = calls(
    lambda w: w.m,
    {
        **{name: (lambda w: {"body": w.tip}) for name in _BODY},
        "body_of_frame": lambda w: {"frame": w.tip.default_frame},
        "fixed_transform": lambda w: {"from_frame": w.tip.default_frame, "to_frame": w.tip.default_frame},
        "is_tree_joint": lambda w: {"joint": w.joint},
        "placement": lambda w: {"joint": w.joint},
        "successor_placement": lambda w: {"joint": w.joint},
        "supports": lambda w: {"joint": w.joint, "body": w.tip},
        "couple": lambda w: {
            "joint": w.joint,
            "to": w.m.tree_joints[1],
            "ratio": 2.0,
            "offset": 0.1,
            "polynomial": None,
            "name": "c",
        },
        "rebuild_spanning_tree": lambda w: {"prefer": [w.joint]},
    },
    "Mechanism.",
) | calls(lambda w: w.tip, {"move_frame": lambda w: _moved(w)}, "RigidBody.")


def _moved(w: World) -> Good:
    body = w.tip
    new = rbd.Frame("movable")
    body.add_frame(Transform(new, body.default_frame))
    return {"transform": Transform(new, body.default_frame, translation=(1, 2, 3))}


_STATES: Final = calls(
    lambda w: w.state,
    {
        "by_joint": lambda w: {"values": [1.0, 2.0]},
        "configuration_derivative_to_velocity": lambda w: {"qd": [1.0, 2.0]},
        "configuration_derivative_to_velocity_adjoint": lambda w: {"force": [1.0, 2.0]},
        "velocity_to_configuration_derivative": lambda w: {"v": [1.0, 2.0]},
        "velocity_to_configuration_derivative_adjoint": lambda w: {"force": [1.0, 2.0]},
        "randomize_configuration": lambda w: {"rng": 1, "within_bounds": False},
        "randomize_velocity": lambda w: {"rng": 1, "within_bounds": False},
        "successor_placement": lambda w: {"joint": w.joint},
    },
    "MechanismState.",
) | calls(
    lambda w: rbd.dynamics(w.state),
    {
        "by_joint": lambda w: {"values": [1.0, 2.0]},
        "relative_acceleration": lambda w: {"body": w.tip, "base": w.m.root_body, "frame": None},
    },
    "DynamicsResult.",
)

_ALGORITHMS: Final = functions(
    rbd.algorithms,
    {
        "center_of_mass_jacobian": lambda w: {"state": w.state},
        "centroidal_transform": lambda w: {"state": w.state},
        "geometric_jacobian_rate": lambda w: {"state": w.state, "path": w.path, "frame": None},
        "point_jacobian_rate": lambda w: {"state": w.state, "path": w.path, "point": w.point},
        "gravity_derivatives": lambda w: {"state": w.state},
        "constrained_dynamics_derivatives": tau,
    },
    "rbd.algorithms.",
)

_WRITTEN: Final[Good] = {"name": "robot", "frames": (), "strict": True}
_OTHERS: Final = (
    functions(rbd.urdf, {"format_urdf": lambda w: {"mechanism": w.m} | _WRITTEN}, "rbd.urdf.")
    | functions(rbd.mjcf, {"format_mjcf": lambda w: {"mechanism": w.m} | _WRITTEN}, "rbd.mjcf.")
    | functions(
        rbd.scalars,
        {name: (lambda w: {"a": 0.5, "b": 0.25}) for name in ("less", "less_equal", "greater", "greater_equal")},
        "rbd.scalars.",
    )
    | functions(rbd.robots, {"four_bar_configuration": lambda w: {"crank_angle": 0.3}}, "rbd.robots.")
    | functions(
        rbd.testing,
        {
            "random_mechanism": lambda w: {
                "joint_types": [rbd.Revolute((0, 0, 1))],
                "rng": np.random.default_rng(1),
                "choose_parent": lambda mechanism, rng: mechanism.bodies[-1],
            }
        },
        "rbd.testing.",
    )
    | calls(
        lambda w: rbd.PDGains(np.eye(3), np.eye(3), frame=w.a),
        {"transformed": lambda w: {"tf": w.tf}},
        "PDGains.",
    )
    | calls(
        lambda w: rbd.rational.RationalForwardKinematics(w.m).pose_polynomial([0.0, 0.0], w.tip),
        {
            "__call__": lambda w: {"s": [0.1, 0.2]},
            "derivative": lambda w: {"index": 0},
            "evaluate": lambda w: {"s": [[0.1, 0.2]], "threads": 1},
            "jacobian": lambda w: {"s": [0.1, 0.2]},
        },
        "MultilinearPose.",
    )
    | calls(lambda w: rbd.Dynamics(w.m), {"project": lambda w: {"x": [0.1, 0.2, 0.3, 0.4]}}, "Dynamics.")
    | calls(
        lambda w: rbd.compile(w.m, ["gravity"]),
        {
            "mass_matrix": lambda w: {
                "q": [0.1, 0.2],
                "gravity": w.m.gravity.xyz,
                "status": rbd.RowStatus(),
            }
        },
        "CompiledRobot with status.",
    )
)


_NORMALIZE: Final[dict[str, Probe]] = {
    "MechanismState.set_configuration, normalize": lambda w: (
        lambda normalize: w.state.set_configuration([0.1, 0.2], normalize=normalize),
        {"normalize": True},
    ),
    "rbd.algorithms.external_wrench_derivatives": lambda w: (
        rbd.algorithms.external_wrench_derivatives,
        {"state": w.state, "body": w.tip, "frame": None},
    ),
    "SoftContact": lambda w: (rbd.HuntCrossley.hertz, {"stiffness": 1.0, "alpha": 0.2}),
}

METHODS: Final[dict[str, Probe]] = _SPATIAL | _MECHANISMS | _STATES | _ALGORITHMS | _OTHERS | _NORMALIZE
