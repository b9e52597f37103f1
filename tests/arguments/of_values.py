"""Valid calls of frames, spatial values and their methods."""

from __future__ import annotations

from typing import Final

import numpy as np

import rbd
import rbd.testing
from rbd import FreeVector, Point, Transform, Twist, Wrench

from .making import calls, functions

VALUES: Final = functions(
    rbd,
    {
        "Frame": lambda w: {"name": "a"},
        "Transform": lambda w: {"from_frame": w.a, "to_frame": w.b, "rotation": np.eye(3), "translation": (1, 2, 3)},
        "Point": lambda w: {"frame": w.a, "xyz": (1, 2, 3)},
        "FreeVector": lambda w: {"frame": w.a, "xyz": (1, 2, 3)},
        "Twist": lambda w: {"body": w.a, "base": w.b, "frame": w.a, "angular": (1, 2, 3), "linear": (1, 2, 3)},
        "SpatialAcceleration": lambda w: {
            "body": w.a,
            "base": w.b,
            "frame": w.a,
            "angular": (1, 2, 3),
            "linear": (1, 2, 3),
        },
        "Wrench": lambda w: {"frame": w.a, "angular": (1, 2, 3), "linear": (1, 2, 3)},
        "Momentum": lambda w: {"frame": w.a, "angular": (1, 2, 3), "linear": (1, 2, 3)},
        "SpatialInertia": lambda w: {"frame": w.a, "mass": 1.0, "com": (0, 0, 1), "moment": 2 * np.eye(3)},
        "GeometricJacobian": lambda w: {
            "body": w.a,
            "base": w.b,
            "frame": w.a,
            "angular": np.ones((3, 2)),
            "linear": np.ones((3, 2)),
        },
        "PointJacobian": lambda w: {"frame": w.a, "matrix": np.ones((3, 2))},
        "MomentumMatrix": lambda w: {"frame": w.a, "angular": np.ones((3, 2)), "linear": np.ones((3, 2))},
        "WrenchMatrix": lambda w: {"frame": w.a, "angular": np.ones((3, 2)), "linear": np.ones((3, 2))},
    },
) | {
    "rbd.SpatialInertia about com": lambda w: (
        rbd.SpatialInertia,
        {"frame": w.a, "mass": 1.0, "com": (0, 0, 1), "moment_about_com": np.eye(3)},
    ),
    "rbd.Frame.of": lambda w: (rbd.Frame.of, {"tag": rbd.Tag}),
    "rbd.Transform.identity": lambda w: (Transform.identity, {"from_frame": w.a, "to_frame": w.b}),
    "rbd.Wrench.of_force": lambda w: (
        Wrench.of_force,
        {"point": Point(w.a, (1, 2, 3)), "force": FreeVector(w.a, (1, 2, 3))},
    ),
}

METHODS_OF_VALUES: Final = (
    calls(
        lambda w: w.tf,
        {
            "expect": lambda w: {"from_frame": w.a, "to_frame": w.b},
            "log_and_rate": lambda w: {"twist": w.twist},
            "isclose": lambda w: {"other": w.tf, "atol": 1e-9},
            "__matmul__": lambda w: {"other": Point(w.a, (1, 2, 3))},
        },
        "Transform.",
    )
    | calls(
        lambda w: Point(w.a, (1, 2, 3)),
        {
            "__add__": lambda w: {"other": w.vector},
            "__sub__": lambda w: {"other": w.vector},
            "isclose": lambda w: {"other": Point(w.a, (1, 2, 3)), "atol": 1e-9},
        },
        "Point.",
    )
    | calls(
        lambda w: w.vector,
        {
            "__add__": lambda w: {"other": w.vector},
            "__sub__": lambda w: {"other": w.vector},
            "__mul__": lambda w: {"factor": 2.0},
            "__truediv__": lambda w: {"divisor": 2.0},
            "dot": lambda w: {"other": w.vector},
            "cross": lambda w: {"other": w.vector},
        },
        "FreeVector.",
    )
    | calls(
        lambda w: w.twist,
        {
            "transformed": lambda w: {"tf": w.tf},
            "point_velocity": lambda w: {"point": Point(w.a, (1, 2, 3))},
            "cross": lambda w: {"other": w.twist},
            "with_base": lambda w: {"base": w.b},
            "with_body": lambda w: {"body": w.b},
            "__add__": lambda w: {"other": w.twist},
            "__sub__": lambda w: {"other": w.twist},
        },
        "Twist.",
    )
    | calls(
        lambda w: rbd.SpatialAcceleration(w.a, w.b, w.a, (1, 2, 3), (1, 2, 3)),
        {
            "transformed": lambda w: {
                "tf": w.tf,
                "twist_of_current_wrt_new": Twist(w.a, w.b, w.a, (1, 2, 3), (1, 2, 3)),
                "twist_of_body_wrt_base": w.twist,
            },
            "point_acceleration": lambda w: {"twist": w.twist, "point": Point(w.a, (1, 2, 3))},
        },
        "SpatialAcceleration.",
    )
    | calls(
        lambda w: w.wrench,
        {
            "transformed": lambda w: {"tf": w.tf},
            "dot": lambda w: {"twist": w.twist},
            "__add__": lambda w: {"other": w.wrench},
        },
        "Wrench.",
    )
    | calls(lambda w: rbd.Momentum(w.a, (1, 2, 3), (1, 2, 3)), {"transformed": lambda w: {"tf": w.tf}}, "Momentum.")
    | calls(
        lambda w: w.inertia,
        {
            "transformed": lambda w: {"tf": w.tf},
            "newton_euler": lambda w: {
                "acceleration": rbd.SpatialAcceleration(w.a, w.b, w.a, (1, 2, 3), (1, 2, 3)),
                "twist": w.twist,
            },
            "kinetic_energy": lambda w: {"twist": w.twist},
            "__add__": lambda w: {"other": w.inertia},
            "__mul__": lambda w: {"factor": 2.0},
            "__matmul__": lambda w: {"other": w.twist},
            "from_components": lambda w: {"frame": w.a, "components": w.inertia.components},
        },
        "SpatialInertia.",
    )
    | calls(
        lambda w: w.jacobian,
        {
            "transformed": lambda w: {"tf": w.tf},
            "torque": lambda w: {"wrench": w.wrench},
            "__matmul__": lambda w: {"v": [1.0, 2.0]},
        },
        "GeometricJacobian.",
    )
    | calls(
        lambda w: rbd.PointJacobian(w.a, np.ones((3, 2))),
        {"torque": lambda w: {"force": w.vector}, "__matmul__": lambda w: {"v": [1.0, 2.0]}},
        "PointJacobian.",
    )
    | calls(
        lambda w: rbd.MomentumMatrix(w.a, np.ones((3, 2)), np.ones((3, 2))),
        {"transformed": lambda w: {"tf": w.tf}, "__matmul__": lambda w: {"v": [1.0, 2.0]}},
        "MomentumMatrix.",
    )
    | calls(
        lambda w: rbd.WrenchMatrix(w.a, np.ones((3, 2)), np.ones((3, 2))),
        {"__matmul__": lambda w: {"multipliers": [1.0, 2.0]}},
        "WrenchMatrix.",
    )
)
