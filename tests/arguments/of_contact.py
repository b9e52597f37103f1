"""Valid calls of shapes, distances and contact solvers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

import rbd
from rbd import FreeVector, Point
from rbd.contact import (
    CollisionModel,
    Compliance,
    ContactSimulator,
    HalfSpace,
    HeightField,
    JointOptions,
    Sphere,
    contact_step,
)

from .making import Good, Probe, World, calls, functions


def model_of(w: World) -> CollisionModel:
    """Return a model of one ball above a floor, whose mechanism is the world's."""
    if not hasattr(w, "model"):
        root = w.m.root_frame
        w.model = CollisionModel(w.m)
        w.ball = w.model.add(w.tip, Sphere(w.tip.default_frame, 0.1))
        w.floor = w.model.add("world", HalfSpace(Point(root, (0, 0, -3)), FreeVector(root, (0, 0, 1))))
        w.model.add_pair(w.ball, w.floor)
    return w.model


def _fresh(w: World) -> CollisionModel:
    """Return a model of two shapes that are no pair yet."""
    model = CollisionModel(w.m)
    w.ball = model.add(w.tip, Sphere(w.tip.default_frame, 0.1))
    w.other = model.add(w.m.bodies[1], Sphere(w.m.bodies[1].default_frame, 0.1))
    return model


def _touching(w: World, friction_cone: Any = "polyhedral", *, hills: bool = False, **law: Any) -> CollisionModel:
    """Return a model of one ball that touches the ground."""
    model, root = CollisionModel(w.m, friction_cone=friction_cone), w.m.root_frame
    lowest = float(w.state.transform_to_root(w.tip).translation[2]) - 0.1
    plane = HalfSpace(Point(root, (0, 0, lowest)), FreeVector(root, (0, 0, 1)))
    field = HeightField(root, (9.0, 9.0), np.full((3, 3), lowest))
    model.add_pair(
        model.add(w.tip, Sphere(w.tip.default_frame, 0.1)), model.add("world", field if hills else plane), **law
    )
    return model


_TOUCHING: Final[dict[str, Callable[[World], CollisionModel]]] = {
    "contact": _touching,
    "round cones": lambda w: _touching(w, "round"),
    "torsional friction": lambda w: _touching(w, friction=0.5, torsional_friction=0.1, rolling_friction=0.1),
    "springs": lambda w: _touching(w, compliance=Compliance(1e4, 10.0)),
    "hills": lambda w: _touching(w, hills=True),
}


def _steps_on_the_ground() -> dict[str, Probe]:
    """Return steps whose balls touch the ground, with each law."""

    def probe(make: Callable[[World], CollisionModel], w: World) -> tuple[Callable[..., object], Good]:
        return contact_step, _STEPPING(w) | {"model": make(w)}

    return {f"rbd.contact.contact_step with {name}": partial(probe, make) for name, make in _TOUCHING.items()}


_STEPPING: Callable[[World], Good] = lambda w: {  # noqa: E731
    "state": w.state,
    "model": model_of(w),
    "torques": [0.0, 0.0],
    "dt": 0.01,
    "friction": 0.5,
    "margin": 0.01,
    "joints": JointOptions(stiffness=100.0),
}
_SHAPES: Final = functions(
    rbd.contact,
    {
        "Capsule": lambda w: {"frame": w.a, "length": 1.0, "radius": 0.1},
        "Cylinder": lambda w: {"frame": w.a, "length": 1.0, "radius": 0.1},
        "Ellipsoid": lambda w: {"frame": w.a, "radii": (0.1, 0.2, 0.3)},
        "Sphere": lambda w: {"frame": w.a, "radius": 0.1},
        "Box": lambda w: {"frame": w.a, "size": (1.0, 1.0, 1.0)},
        "HalfSpace": lambda w: {"point": Point(w.a, (0, 0, 0)), "normal": w.vector},
        "CollisionModel": lambda w: {"mechanism": w.m, "friction_cone": "round"},
        "ConvexHull": lambda w: {"frame": w.a, "points": [[0.0, 0.1, 0.0], [0.2, 0.0, 0.3]], "radius": 0.01},
        "HeightField": lambda w: {"frame": w.a, "size": (1.0, 2.0), "heights": [[0.0, 0.1], [0.2, 0.0]]},
        "Compliance": lambda w: {"stiffness": 1e4, "damping": 10.0},
    },
    "rbd.contact.",
) | calls(
    lambda w: HalfSpace(Point(w.a, (0, 0, 0)), w.vector),
    {
        "separation": lambda w: {"point": Point(w.a, (1, 2, 3))},
        "contains": lambda w: {"point": Point(w.a, (1, 2, 3))},
        "transformed": lambda w: {"tf": w.tf},
    },
    "HalfSpace.",
)
_MODELS: Final = (
    calls(
        model_of,
        {
            "add": lambda w: {"body": w.tip, "shape": Sphere(w.tip.default_frame, 0.2)},
            "body": lambda w: {"shape": w.ball},
            "add_all_pairs": lambda w: {"neighbours": True},
            "near": lambda w: {"state": w.state, "margin": 0.1},
            "distances": lambda w: {"state": w.state, "previous": w.model.distances(w.state), "pairs": [0]},
            "jacobian": lambda w: {"state": w.state, "pairs": [0], "out": np.empty((1, 2))},
            "bias": lambda w: {"state": w.state, "out": np.empty(1)},
            "recorded": lambda w: {"name": "jacobian"},
            "require": lambda w: {"state": w.state},
        },
        "CollisionModel.",
    )
    | calls(
        model_of,
        {
            "distances": lambda w: {"state": w.state, "previous": w.model.distances(w.state)},
            "jacobian": lambda w: {"state": w.state, "out": np.empty((1, 2))},
        },
        "CollisionModel of all pairs.",
    )
    | calls(
        _fresh,
        {
            "add_pair": lambda w: {
                "a": w.ball,
                "b": w.other,
                "friction": 0.5,
                "restitution": 0.1,
                "torsional_friction": 0.1,
                "rolling_friction": 0.1,
            }
        },
        "CollisionModel.",
    )
    | calls(
        _fresh,
        {"add_pair": lambda w: {"a": w.ball, "b": w.other, "friction": 0.5, "compliance": Compliance(1e4, 10.0)}},
        "CollisionModel of springs.",
    )
)
_ALLOWED: Final = functions(
    rbd.contact,
    {
        "solve_contact": lambda w: {
            "state": w.state,
            "model": model_of(w),
            "torques": [0.0, 0.0],
            "bias": "exact",
            "friction": None,
            "threshold": 1e-3,
            "solver": "rbd",
        },
        "impact": lambda w: {
            "state": w.state,
            "model": model_of(w),
            "law": "unilateral",
            "restitution": 0.5,
            "active": [0],
        },
        "contact_step": _STEPPING,
        "contact_step_derivatives": _STEPPING,
        "JointOptions": lambda w: {"stops": True, "stiffness": [100.0, 50.0], "damping": 1.0},
        "solve_qp": lambda w: {
            "hessian": np.eye(2),
            "linear": [1.0, 1.0],
            "rows": [[1.0, 0.0]],
            "bounds": [1.0],
            "solver": "rbd",
        },
        "ContactSimulator": lambda w: {
            "mechanism": w.m,
            "collision_model": model_of(w),
            "control": None,
            "dt": 0.01,
            "threshold": 1e-3,
            "bias": "tutorial",
            "law": "inelastic",
            "friction": 0.5,
            "joints": JointOptions(stops=False),
        },
    },
    "rbd.contact.",
) | calls(
    lambda w: ContactSimulator(w.m, model_of(w), None, 0.01),
    {"run": lambda w: {"state": w.state, "final_time": 0.02, "progress": False}},
    "ContactSimulator.",
)

CONTACT: Final[dict[str, Any]] = _SHAPES | _MODELS | _ALLOWED | _steps_on_the_ground()
