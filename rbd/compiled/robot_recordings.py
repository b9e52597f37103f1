"""Recorded functions of a compiled robot, by the names and options of its methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final, get_args

from numpy.typing import ArrayLike

from rbd.algorithms.derivatives.space import Space, check_space
from rbd.algorithms.loops.loop_gains import STANDARD, gains_of_constraints
from rbd.algorithms.loops.stabilization import DEFAULT, Stabilization
from rbd.algorithms.time_steps.formulas import FixedStepMethod
from rbd.algorithms.time_steps.step_dynamics import PLAIN, StepOptions
from rbd.arguments import require_choice
from rbd.compiled.function import RecordedFunction
from rbd.compiled.function_table import FunctionTable
from rbd.compiled.recording_specs import SPECS, RecordingSpec, jacobian_spec, step_spec
from rbd.compiled.step_derivatives import closed_form_spec, contact_step_derivatives
from rbd.compiled.wrenches import (
    WrenchArrays,
    WrenchFrame,
    WrenchInputs,
    key_with_wrenches,
    with_wrenches,
    wrench_inputs,
)
from rbd.errors import ArgumentError
from rbd.indexing.layout import layout_of
from rbd.mechanism import RigidBody

FUNCTIONS: Final = (*dict.fromkeys(name.partition(" ")[0] for name in SPECS), "geometric_jacobian", "step")
"""Names of the methods that are one recorded function each."""


@final
class RobotRecordings:
    """The recorded functions of one mechanism, each recorded at its first use."""

    def __init__(self, table: FunctionTable) -> None:
        """Set the table of functions."""
        self.table = table

    def algorithm(self, name: str, wrenches: WrenchInputs = ()) -> RecordedFunction:
        """Return the function of an algorithm, with these external wrenches as inputs."""
        return self._recorded(name, lambda: SPECS[name], wrenches)

    def derivatives(self, name: str, space: Space) -> RecordedFunction:
        """Return the function of the derivatives of an algorithm."""
        check_space(space)
        return self.algorithm(f"{name} {space}")

    def geometric_jacobian(self, body: RigidBody | str) -> RecordedFunction:
        """Return the function of the Jacobian of a body with respect to the root."""
        target = self.table.mechanism.body(body)
        return self._recorded(f"geometric_jacobian of {target.name}", lambda: jacobian_spec(target))

    def step(
        self, integrator: FixedStepMethod, stabilization: Stabilization = DEFAULT, wrenches: WrenchInputs = ()
    ) -> RecordedFunction:
        """Return the function of a time step; each stabilisation of loops has its own."""
        layout = layout_of(self.table.mechanism)
        gains = gains_of_constraints(layout, stabilization)
        usual = gains is STANDARD or not layout.is_constrained
        key = f"step {integrator}" if usual else f"step {integrator} {gains!r}"
        options = PLAIN if usual else StepOptions(gains)
        return self._recorded(key, lambda: step_spec(integrator, layout.ns, options), wrenches)

    def step_derivatives(self, integrator: FixedStepMethod, space: Space) -> RecordedFunction:
        """Return the function of the derivatives of a time step; raise ArgumentError unless it exists."""
        check_space(space)
        require_choice(integrator, get_args(FixedStepMethod), "integrator", "integrator")
        mechanism = self.table.mechanism
        if not layout_of(mechanism).point_contacts:
            return self._recorded(f"step_derivatives {integrator} {space}", lambda: closed_form_spec(integrator, space))
        if space != "tangent":
            message = "derivatives of steps with compliant contact are in tangent space; leave space out"
            raise ArgumentError(message, argument="space", value=space, allowed="tangent")
        step = self.step(integrator)
        key = f"step_derivatives with contacts {integrator}"
        return self.table.function(key, lambda: contact_step_derivatives(step, mechanism))

    def by_name(
        self, name: str, body: RigidBody | str | None, space: Space, integrator: FixedStepMethod
    ) -> RecordedFunction:
        """Return the function of a method; raise ArgumentError for other names, and for a body it does not take."""
        require_choice(name, FUNCTIONS, "name", "function of a compiled robot")
        check_space(space)
        if (name == "geometric_jacobian") != (body is not None):
            problem = "needs a body" if body is None else f"and no other function takes a body; {name} was asked for"
            message = f"geometric_jacobian {problem}; write robot.function('geometric_jacobian', body=...)"
            raise ArgumentError(message, argument="body", value=body)
        if body is not None:
            return self.geometric_jacobian(body)
        if name == "step":
            return self.step(integrator)
        return self.algorithm(name) if name in SPECS else self.derivatives(name, space)

    def initial_arrays(self, q: ArrayLike, v: ArrayLike, s: ArrayLike | None) -> tuple[ArrayLike, ...]:
        """Return the initial arrays of a step; raise ArgumentError unless contact states are given if there are any."""
        ns = layout_of(self.table.mechanism).ns
        if (s is None) != (ns == 0):
            message = f"s must be {'left out' if s is not None else 'given'}: the mechanism has {ns} contact states"
            raise ArgumentError(message, argument="s", value=s, allowed=ns)
        return (q, v) if s is None else (q, v, s)

    def wrench_inputs(
        self, external: WrenchArrays | None, frame: WrenchFrame
    ) -> tuple[WrenchInputs, tuple[ArrayLike, ...]]:
        """Return the inputs of external wrenches, and their components."""
        if external is None and frame == "body":
            return (), ()
        return wrench_inputs(layout_of(self.table.mechanism), external, frame)

    def _recorded(self, key: str, spec: Callable[[], RecordingSpec], wrenches: WrenchInputs = ()) -> RecordedFunction:
        return self.table.recorded(key_with_wrenches(key, wrenches), lambda: with_wrenches(spec(), wrenches))
