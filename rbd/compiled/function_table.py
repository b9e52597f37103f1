"""Table of the recorded functions of a compiled robot, by the names and options of its methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, final, get_args

from rbd import native
from rbd.algorithms.derivatives.space import Space, check_space
from rbd.algorithms.loops.loop_gains import recorded_gains
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION, Stabilization
from rbd.algorithms.time_steps.continuous_dynamics import ContinuousDynamics
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.arguments import require_choice, require_kind, sequence
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.record import load_or_record_spec
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.array_functions.wrench_inputs import WrenchInputs, key_with_wrenches, with_wrenches
from rbd.compiled.specs import DERIVATIVE_SPECS, SPECS, jacobian_spec, step_spec
from rbd.compiled.step_derivatives import closed_form_spec, contact_step_derivatives
from rbd.errors import ArgumentError, StaleStateError
from rbd.indexing.layout import layout_of
from rbd.mechanism import Mechanism, RigidBody
from rbd.mechanism.members import versions_of
from rbd.progress import Listener, require_progress
from rbd.scalar_states.parameter_arrays import ParameterName, parameter_shape

FUNCTIONS: Final = (*SPECS, *dict.fromkeys(name for name, _ in DERIVATIVE_SPECS), "geometric_jacobian", "step")
"""Names of the methods that are one recorded function each."""


@final
class FunctionTable:
    """The algorithms of one mechanism, each recorded at its first use and compiled at its first call.

    All methods that return a function raise StaleStateError if the mechanism was edited.
    """

    def __init__(self, mechanism: Mechanism, parameters: Iterable[ParameterName], progress: bool | Listener) -> None:
        """Set the mechanism, with `parameters` as inputs; records nothing. See `rbd.compile`."""
        require_kind(mechanism, Mechanism, operation="rbd.compile", argument="mechanism")
        require_progress(progress)
        names = sequence(parameters, "parameters", "names of parameters")
        for name in names:
            parameter_shape(mechanism, name)
        self.mechanism = mechanism
        self.parameters: tuple[ParameterName, ...] = tuple(dict.fromkeys(names))
        self.versions = (mechanism.structure_version, mechanism.parameter_version)
        self.functions: dict[str, RecordedFunction] = {}
        """The recorded functions by key: the name of the algorithm, then its options."""
        self._current_versions = versions_of(mechanism)
        self._lock = native.Lock()
        self._progress = progress

    def algorithm(self, name: str, wrenches: WrenchInputs = ()) -> RecordedFunction:
        """Return the function of an algorithm, with these external wrenches as inputs."""
        return self._recorded(name, lambda: SPECS[name], wrenches)

    def derivatives(self, name: str, space: Space) -> RecordedFunction:
        """Return the function of the derivatives of an algorithm."""
        check_space(space)
        return self._recorded(f"{name} {space}", lambda: DERIVATIVE_SPECS[name, space])

    def geometric_jacobian(self, body: RigidBody | str) -> RecordedFunction:
        """Return the function of the Jacobian of a body with respect to the root."""
        target = self.mechanism.body(body)
        return self._recorded(f"geometric_jacobian of {target.name}", lambda: jacobian_spec(target))

    def step(
        self,
        integrator: FixedStepMethod,
        stabilization: Stabilization = DEFAULT_STABILIZATION,
        wrenches: WrenchInputs = (),
    ) -> RecordedFunction:
        """Return the function of a time step; each stabilisation of loops has its own."""
        layout = layout_of(self.mechanism)
        gains, suffix = recorded_gains(layout, stabilization)
        key = f"step {integrator}{suffix}"
        return self._recorded(key, lambda: step_spec(integrator, layout.ns, ContinuousDynamics(gains)), wrenches)

    def step_derivatives(self, integrator: FixedStepMethod, space: Space) -> RecordedFunction:
        """Return the function of the derivatives of a time step; raise ArgumentError unless it exists."""
        check_space(space)
        require_choice(integrator, get_args(FixedStepMethod), "integrator", "integrator")
        mechanism = self.mechanism
        if not layout_of(mechanism).contact_pairs:
            return self._recorded(f"step_derivatives {integrator} {space}", lambda: closed_form_spec(integrator, space))
        if space != "tangent":
            message = "derivatives of steps with compliant contact are in tangent space; leave space out"
            raise ArgumentError(message, argument="space", value=space, allowed="tangent")
        step = self.step(integrator)
        key = f"step_derivatives with contacts {integrator}"
        return self._function(key, lambda: contact_step_derivatives(step, mechanism))

    def by_name(
        self, name: str, body: RigidBody | str | None, space: Space, integrator: FixedStepMethod
    ) -> RecordedFunction:
        """Return the function of a method; raise ArgumentError for other names, and for a body it does not take."""
        if callable(name):
            message = "name must be that of a method of the robot; rbd.record(function, mechanism) records others"
            raise ArgumentError(message, argument="name", value=name, allowed=FUNCTIONS)
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

    def require_current(self) -> None:
        """Raise StaleStateError if the mechanism was edited."""
        versions = tuple(self._current_versions)
        if versions != self.versions:
            advice = ", with parameters=[...] for values that change" if versions[0] == self.versions[0] else ""
            message = f"the mechanism was edited after this robot was compiled; call rbd.compile again{advice}"
            raise StaleStateError(message, made_with=self.versions, now=versions)

    # --- helpers ------------------------------------------------------------------------------------------------------

    def _recorded(self, name: str, spec: Callable[[], RecordingSpec], wrenches: WrenchInputs = ()) -> RecordedFunction:
        """Return the function of an algorithm with these external wrenches, recorded from its specification."""
        key = key_with_wrenches(name, wrenches) if wrenches else name
        return self._function(
            key, lambda: load_or_record_spec(with_wrenches(spec(), wrenches), self.mechanism, key, self.parameters)
        )

    def _function(self, key: str, make: Callable[[], RecordedFunction]) -> RecordedFunction:
        """Return the function `key`, made at its first use."""
        self.require_current()
        return self.functions.get(key) or self._made(key, make)

    def _made(self, key: str, make: Callable[[], RecordedFunction]) -> RecordedFunction:
        with self._lock.inner:
            known = self.functions.get(key)
            if known is None:
                known = make()
                known.executable.progress = self._progress
                self.functions[key] = known
            return known
