"""What a compiled robot records under each name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, final

import attrs

from rbd import algorithms
from rbd.algorithms.spaces import SPACES, Space
from rbd.algorithms.stabilization import STANDARD, LoopGainsPerLoop
from rbd.compiled.stepping import Integrator, controlled_step_function, step_function
from rbd.mechanism import RigidBody
from rbd.program.program import Program
from rbd.scalars.arrays import ScalarArray
from rbd.state import ScalarState, passes

Coordinates = Literal["q", "qv"]
_TIMES = ("dt", "t", "t_next")


@final
@attrs.frozen(eq=False)
class Recipe:
    """A function of a state, what it takes besides the state, and how it may be recorded."""

    function: Callable[..., object]
    coordinates: Coordinates
    """Whether it depends on q alone or on v too."""
    inputs: tuple[str, ...] = ()
    """Names of its other arguments; each has a number per velocity, times are one number."""
    regroup: bool = False
    """Whether it asks for torques, masses and accelerations of joints only, so that inertias may be regrouped."""

    def shapes(self, nv: int, ns: int) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of the other arguments: s has a number per contact state."""
        return {name: () if name in _TIMES else (ns if name == "s" else nv,) for name in self.inputs}


def _poses(state: ScalarState) -> object:
    """Return the pose of every body as a 4x4 matrix."""
    last = (0.0, 0.0, 0.0, 1.0)
    poses: list[object] = []
    for pose in passes.to_root(state):
        rows = zip(pose.rotation_components, pose.translation_components, strict=True)
        poses.append((*((*row, x) for row, x in rows), last))
    return tuple(poses)


def _derivatives(function: Callable[..., tuple[object, ...]], space: str, last: str) -> Callable[..., object]:
    """Return a function that gives three derivatives by name."""

    def derivatives(state: ScalarState, **inputs: object) -> object:
        d_dq, d_dv, d_dlast = function(state, *inputs.values(), space=space)
        return {"d_dq": d_dq, "d_dv": d_dv, last: d_dlast}

    return derivatives


def _second_derivatives(space: Space) -> Callable[..., object]:
    """Return a function that gives all second derivatives of inverse dynamics by name."""

    def derivatives(state: ScalarState, vd: ScalarArray) -> object:
        found = algorithms.inverse_dynamics_second_derivatives(state, vd, space=space)
        return {field.name: getattr(found, field.name) for field in attrs.fields(type(found))}

    return derivatives


RECIPES: Mapping[str, Recipe] = {
    "forward_kinematics": Recipe(_poses, "q"),
    "inverse_dynamics": Recipe(algorithms.inverse_dynamics, "qv", ("vd",), regroup=True),
    "mass_matrix": Recipe(algorithms.mass_matrix, "q", regroup=True),
    "inverse_mass_matrix": Recipe(algorithms.inverse_mass_matrix, "q", regroup=True),
    "dynamics_bias": Recipe(algorithms.dynamics_bias, "qv", regroup=True),
    "forward_dynamics": Recipe(algorithms.forward_dynamics, "qv", ("torques",), regroup=True),
    "momentum_matrix": Recipe(algorithms.momentum_matrix, "q"),
    **{
        f"{name} {space}": Recipe(_derivatives(function, space, last), "qv", (argument,), regroup=True)
        for name, function, argument, last in (
            ("inverse_dynamics_derivatives", algorithms.inverse_dynamics_derivatives, "vd", "d_dvd"),
            ("forward_dynamics_derivatives", algorithms.forward_dynamics_derivatives, "torques", "d_dtau"),
        )
        for space in SPACES
    },
    **{
        f"inverse_dynamics_second_derivatives {space}": Recipe(_second_derivatives(space), "qv", ("vd",), regroup=True)
        for space in SPACES
    },
}
"""Names of methods; where there are several recipes for one, with the option behind."""


def jacobian_recipe(target: RigidBody) -> Recipe:
    """Return the recipe of the Jacobian of a body with respect to the root."""

    def jacobian(state: ScalarState) -> object:
        mechanism = state.mechanism
        return algorithms.geometric_jacobian(state, mechanism.path(mechanism.root_body, target))

    return Recipe(jacobian, "q")


def step_recipe(integrator: Integrator, ns: int = 0, gains: LoopGainsPerLoop = STANDARD) -> Recipe:
    """Return the recipe of one step in time of a mechanism with `ns` contact states; `gains` draw loops together."""
    return Recipe(step_function(integrator, gains), "qv", ("s", "tau", "dt") if ns else ("tau", "dt"), regroup=True)


def controlled_step_recipe(integrator: Integrator, control: Program) -> Recipe:
    """Return the recipe of one step in time under a recorded controller."""
    return Recipe(controlled_step_function(integrator, control), "qv", ("t", "t_next"), regroup=True)
