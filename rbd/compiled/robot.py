"""Compiled robot: the algorithms of a mechanism as functions of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, Never, final

from typing_extensions import override

from rbd import algorithms
from rbd.algorithms.derivatives.space import Space
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.arguments import constructing_call
from rbd.array_functions.function import RecordedFunction
from rbd.compiled.algorithm_methods import AlgorithmMethods
from rbd.compiled.function_table import FunctionTable
from rbd.compiled.method_builtins import (
    NOT_FOR_BUILTINS,
    RecordedOptions,
    builtin_documentation,
    method_binding,
    options_key,
    version_guards,
)
from rbd.compiled.step_methods import StepMethods
from rbd.mechanism import Mechanism, RigidBody
from rbd.progress import Listener
from rbd.scalar_states.parameter_arrays import ParameterName, parameter_array
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.builtins.builtin import Binding
    from rbd.native.builtins.parameters import Overloads

_MAX_OVERLOADS: Final = 17
"""Maximum number of options of a method for which there are builtins: the first, and those that follow it."""


@constructing_call("rbd.compile(mechanism)")
@final
class CompiledRobot(AlgorithmMethods, StepMethods):
    """The algorithms of one mechanism as functions of arrays, compiled at their first call.

    Arrays may have leading batch axes, q of shape (..., nq) and v of shape (..., nv), which are broadcast; results have
    them too. `out` is a buffer for the result. `threads` splits a batch over threads; results are bitwise equal.
    `status`, a `RowStatus`, receives the status of each row; without it, the first failed row raises an error, and
    other rows of `out` may have been written.
    Results are expressed in the root frame. Parameters of the mechanism are constants, with their values at the call of
    `rbd.compile`; those listed in its `parameters` are keyword arguments. After an edit of the mechanism, a robot
    raises StaleStateError; compile it again. Methods that are called often for one state, with float64 arrays and
    optionally `out`, become builtin functions.

    `external_wrenches` maps bodies or their names to arrays (..., 6), torque first, then force: expressed in the body's
    default frame, or in the root frame for `wrench_frame` "root". Instead of an array, a value may be a `Wrench` in one
    of these frames. Each set of bodies is compiled separately.

    Methods raise ShapeError, NotFiniteError naming the argument and its entry, SingularError naming the joint.

    >>> import numpy as np, rbd
    >>> robot = rbd.compile(rbd.robots.double_pendulum())
    >>> robot.mass_matrix(np.zeros((1000, 2))).shape
    (1000, 2, 2)
    """

    def __init__(
        self, mechanism: Mechanism, parameters: Iterable[ParameterName] = (), *, progress: bool | Listener = False
    ) -> None:
        """Set the mechanism, with `parameters` as inputs; compiles nothing. See `rbd.compile`."""
        super().__init__(FunctionTable(mechanism, parameters, progress))

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the functions."""
        return self._table.mechanism

    @property
    def parameters(self) -> dict[str, Array]:
        """The parameters that are inputs, with the values of the mechanism, as fresh arrays by name.

        Raises StaleStateError after an edit of the mechanism.

        >>> import rbd
        >>> robot = rbd.compile(rbd.robots.arm7(), parameters=["inertia"])
        >>> heavier = 1.1 * robot.parameters["inertia"]
        >>> heavier.shape
        (7, 10)
        """
        self._table.require_current()
        return {name: parameter_array(self.mechanism, name) for name in self._table.parameters}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            """Raise AttributeError, which says how to compile an algorithm that is no method."""
            advice = ""
            if name in algorithms.__all__:
                advice = f"; rbd.record(function, mechanism) compiles a function of a state that calls {name}"
            message = f"{type(self).__name__!r} object has no attribute {name!r}{advice}"
            raise AttributeError(message, name=name, obj=self)

    @override
    def __repr__(self) -> str:
        mechanism, compiled = self.mechanism, ", ".join(self._table.functions)
        return f"<compiled robot, nq = {mechanism.nq}, nv = {mechanism.nv}; compiled: {compiled or 'nothing'}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the mechanism only; the copy compiles again."""
        return CompiledRobot, (self.mechanism, self._table.parameters)

    def function(
        self,
        name: str,
        *,
        body: RigidBody | str | None = None,
        space: Space = "tangent",
        integrator: FixedStepMethod = "munthe-kaas-rk4",
    ) -> RecordedFunction:
        """Return the recorded function of the method `name`, to print, count, differentiate or export it.

        `body` is that of a "geometric_jacobian", `space` that of derivatives, `integrator` that of a "step". Raises
        ArgumentError for other names.

        >>> import rbd
        >>> robot = rbd.compile(rbd.robots.double_pendulum())
        >>> robot.function("inverse_dynamics").count().total
        28
        """
        found = self._table.by_name(name, body, space, integrator)
        _ = found.program  # is recorded while the mechanism lives, also if machine code was found on disk
        return found

    def functions(self, *names: str) -> dict[str, RecordedFunction]:
        """Return recorded functions by name, such as for `rbd.export.write_c_library`; see `function`.

        >>> import rbd
        >>> robot = rbd.compile(rbd.robots.double_pendulum())
        >>> list(robot.functions("mass_matrix", "step"))
        ['mass_matrix', 'step']
        """
        return {name: self.function(name) for name in names}

    @override
    def _use_builtin(self, name: str, function: RecordedFunction, options: RecordedOptions) -> None:
        """Replace the method `name` of this robot, which is called often, by a builtin.

        For other calls the builtin calls the method of a robot without builtins, with the same functions. This avoids
        reference cycles, so that the robot is freed with its last reference.
        """
        if name not in self.__dict__ and NOT_FOR_BUILTINS not in options.values():
            setattr(self, name, _PythonRobot(self._table).builtin(name, function, options))


@final
class _PythonRobot(AlgorithmMethods, StepMethods):
    """A robot whose methods stay Python: builtins of a compiled robot call it where they do not apply.

    Each method of a compiled robot has its own, which adds builtins for options that calls have often.
    """

    def __init__(self, table: FunctionTable) -> None:
        """Set the recorded functions."""
        super().__init__(table)
        self._known = set[tuple[object, ...]]()
        self._overloads: Overloads | None = None

    def builtin(self, name: str, function: RecordedFunction, options: RecordedOptions) -> Callable[..., object]:
        """Return the builtin of the method `name`, for calls with these options first."""
        from rbd.native.builtins.parameters import Overloads

        method: Callable[..., object] = getattr(self, name)
        self._overloads = Overloads()
        self._known.add(options_key(options))
        binding, text = self._binding(method, function, options), builtin_documentation(method)
        return function.executable.make_builtin(method, name, text, binding, self._overloads)

    @override
    def _use_builtin(self, name: str, function: RecordedFunction, options: RecordedOptions) -> None:
        """Add a builtin for other options, which are called often."""
        if self._overloads is None or NOT_FOR_BUILTINS in options.values():
            return
        key = options_key(options)
        if key not in self._known and len(self._known) < _MAX_OVERLOADS:
            self._known.add(key)
            binding = self._binding(getattr(self, name), function, options)
            function.executable.add_overload(self._overloads, binding)

    def _binding(self, method: Callable[..., object], function: RecordedFunction, options: RecordedOptions) -> Binding:
        guards = version_guards(self._table.mechanism, self._table.versions)
        return method_binding(method, function, options, guards)


def compile(  # noqa: A001 - rbd.compile is the name users know; not in __all__
    mechanism: Mechanism, parameters: Iterable[ParameterName] = (), *, progress: bool | Listener = False
) -> CompiledRobot:
    """Return the algorithms of `mechanism` as functions of arrays; each is compiled at its first call.

    `progress=True` shows a progress bar of each compilation; a function is called with (steps done, steps). Machine
    code is cached on disk.

    `parameters` lists parameters of the mechanism that are inputs instead of constants: "inertia", "gravity",
    "placement", "damping", "friction", "friction_velocity", "armature", "bound_stiffness", "bound_damping". Every
    function takes them as keyword arguments, with optional batch axes; their defaults are the mechanism's values.
    `inertia` has a row per body except the root: moment about the frame's origin (xx, xy, xz, yy, yz, zz), mass times
    centre of mass, mass. `placement` has three rows of four per tree joint, rotation and translation; the other
    parameters have one number per velocity. Raises ArgumentError for other names.

    >>> import numpy as np, rbd
    >>> robot = rbd.compile(rbd.robots.arm7())
    >>> q = np.zeros((100, 7))
    >>> tau = robot.inverse_dynamics(q, np.zeros(7), np.zeros(7))     # gravity torques of a hundred poses
    >>> tau.shape
    (100, 7)
    >>> weightless = rbd.compile(rbd.robots.arm7(), parameters=["gravity"])
    >>> bool(weightless.inverse_dynamics(q, np.zeros(7), np.zeros(7), gravity=np.zeros(3)).any())
    False
    """
    return CompiledRobot(mechanism, parameters, progress=progress)
