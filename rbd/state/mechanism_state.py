"""Live state: float64 coordinates with versions, and cached passes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from rbd.arguments import boolean, constructing_call, whole_number
from rbd.display import preformatted
from rbd.engine.coordinate_writer import CoordinateWriter
from rbd.engine.interpreted import INTERPRETED_CONTEXTS
from rbd.engine.live_buffers import Q, V
from rbd.engine.live_engine import LiveEngine
from rbd.indexing.joint_values import joint_table
from rbd.indexing.layout import TreeNode
from rbd.kinematics import passes
from rbd.kinematics.conversions import require_rotations
from rbd.kinematics.queries import State, Value, read_only_setter
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mechanism.parameters import UNBOUNDED, Bound, Bounds
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector, to_float
from rbd.scalars.arrays import Array, float_array
from rbd.spatial import Transform, Twist
from rbd.state.coordinates import (
    checked_configuration,
    checked_vector,
    configuration_of,
    not_a_joint_error,
    velocity_of,
)


@constructing_call("rbd.MechanismState(mechanism, q, v)")
@final
class MechanismState(State[Array]):
    """Configuration and velocity of a mechanism, with cached derived quantities.

    `q` and `v` are read-only views. Methods set them and invalidate the cache. A state belongs to the thread that made
    it; `adopt` transfers it to the calling thread.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> state.set_configuration([0.3, -0.1])
    >>> state.q
    array([ 0.3, -0.1])
    """

    def __init__(self, mechanism: Mechanism, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Start at `q` and `v`; the zero configuration at rest when not given."""
        super().__init__(mechanism)
        layout = self._layout
        self.engine = engine = LiveEngine(mechanism, layout)
        self._buffers = buffers = engine.buffers
        self._q_view, self._v_view = _read_only(buffers.q), _read_only(buffers.v)
        self._q_writer, self._v_writer = CoordinateWriter(engine, Q), CoordinateWriter(engine, V)
        buffers.write(Q, self._zero_configuration() if q is None else checked_configuration(layout, q))
        buffers.write(V, np.zeros(layout.nv) if v is None else self._checked_velocity(v))

    # --- reading -----------------------------------------------------------------------------------

    @property
    def q(self) -> Array:
        """The configuration, a read-only view."""
        return self._q_view

    @property
    def v(self) -> Array:
        """The velocity, a read-only view."""
        return self._v_view

    if not TYPE_CHECKING:  # type checkers refuse the assignment
        q = q.setter(read_only_setter("q", "state.set_configuration(q)"))
        v = v.setter(read_only_setter("v", "state.set_velocity(v)"))

    def configuration_scalars(self) -> Vector:
        """Return q as Python floats."""
        return self._buffers.floats(Q)

    def velocity_scalars(self) -> Vector:
        """Return v as Python floats."""
        return self._buffers.floats(V)

    def lifted(self, value: Scalar) -> Scalar:
        """Return a parameter unchanged."""
        return value

    @override
    def _body_transform(self, a: RigidBody, b: RigidBody) -> Transform[Any, Any]:
        """Return the transform from body `a` to body `b`; from the root it is the inverse of a pose that is kept."""
        if a.is_root and not b.is_root:
            return passes.to_root(self)[self._layout.body_index(b)].inverse()
        return passes.body_transform(self, a, b)

    def adopt(self) -> None:
        """Make the calling thread the owner of this state."""
        self._buffers.adopt()

    # --- writing -----------------------------------------------------------------------------------

    @overload
    def set_configuration(self, q: ArrayLike, /, *, normalize: bool = False) -> None: ...
    @overload
    def set_configuration(
        self, joint: Joint | str, value: ArrayLike | Transform, /, *, normalize: bool = False
    ) -> None: ...

    def set_configuration(
        self, q: ArrayLike | Joint, value: ArrayLike | Transform | None = None, /, *, normalize: bool = False
    ) -> None:
        """Set all of q, or the configuration of one joint: `set_configuration(q)`, `set_configuration(joint, value)`.

        The value of a joint is a number, an array of its coordinates, or a Transform from its frame_after to its
        frame_before. Quaternions must have unit norm to 1e-6 and are normalised; `normalize=True` accepts any nonzero
        norm. Raises ShapeError, NotFiniteError (naming the joint), RotationError, FrameMismatchError, and then leaves
        the state unchanged.
        """
        write = self._q_writer.builtin  # a local name: calling an attribute that is no method takes longer
        if value is None and normalize is False and write(q) is None:
            return
        self.engine.check()
        values = self._with_joint(Q, q, value, configuration_of)
        self._q_writer.write(checked_configuration(self.layout, values, normalize=normalize))

    @overload
    def set_velocity(self, v: ArrayLike, /) -> None: ...
    @overload
    def set_velocity(self, joint: Joint | str, value: ArrayLike | Twist, /) -> None: ...

    def set_velocity(self, v: ArrayLike | Joint, value: ArrayLike | Twist | None = None, /) -> None:
        """Set all of v, or the velocity of one joint: `set_velocity(v)`, `set_velocity(joint, value)`.

        The value of a joint is a number, an array, or the Twist of its frame_after with respect to its frame_before,
        expressed in frame_after; of a twist that the joint cannot make, the velocity whose twist is nearest, in the sum
        of squares of the components in rad/s and m/s. Raises as `set_configuration` does, and then leaves the state
        unchanged.
        """
        write = self._v_writer.builtin
        if value is None and write(v) is None:
            return
        self.engine.check()
        self._v_writer.write(self._checked_velocity(self._with_joint(V, v, value, velocity_of)))

    def zero(self) -> None:
        """Set the zero configuration (every joint transform is the identity) and zero velocity."""
        self.engine.check()
        self._buffers.write_both(self._zero_configuration(), np.zeros(self.layout.nv))

    def zero_configuration(self) -> None:
        """Set the zero configuration: every joint transform is the identity."""
        self.engine.check()
        self._buffers.write(Q, self._zero_configuration())

    def zero_velocity(self) -> None:
        """Set zero velocity."""
        self.engine.check()
        self._buffers.write(V, np.zeros(self.layout.nv))

    def randomize(self, rng: np.random.Generator | int | None = None, *, within_bounds: bool = False) -> None:
        """Draw a random configuration and velocity, as `randomize_configuration` and `randomize_velocity` do.

        `rng` is a generator or a seed of 0 or more. Raises ArgumentError for anything else.
        """
        self.engine.check()
        generator, bounded = _generator(rng), boolean(within_bounds, "within_bounds")
        self._buffers.write_both(
            self._random_configuration(generator, bounded), self._random_velocity(generator, bounded)
        )

    def randomize_configuration(
        self, rng: np.random.Generator | int | None = None, *, within_bounds: bool = False
    ) -> None:
        """Draw a random configuration from the distribution of each joint type.

        With `within_bounds`, coordinates that are bounded on both sides are drawn uniformly between their position
        bounds, and others are clipped to their bound. Position bounds of joints with more coordinates
        than velocities (quaternions, sine and cosine) have no effect here.
        """
        self.engine.check()
        generator, bounded = _generator(rng), boolean(within_bounds, "within_bounds")
        self._buffers.write(Q, self._random_configuration(generator, bounded))

    def _random_configuration(self, rng: np.random.Generator, bounded: bool) -> Array:
        q = [x for node in self.nodes for x in node.joint.type.random(rng)]
        if bounded:
            bounds = [bound for node in self.nodes for bound in _bounds_of_draws(node.joint)]
            q = _drawn_between(q, bounds, rng)
        return checked_vector(self.layout, q, "q")

    def randomize_velocity(self, rng: np.random.Generator | int | None = None, *, within_bounds: bool = False) -> None:
        """Draw velocities from N(0, 1); with `within_bounds`, within the velocity bounds as for configurations."""
        self.engine.check()
        generator, bounded = _generator(rng), boolean(within_bounds, "within_bounds")
        self._buffers.write(V, self._random_velocity(generator, bounded))

    def _random_velocity(self, rng: np.random.Generator, bounded: bool) -> Array:
        v: list[float] = rng.standard_normal(self.layout.nv).tolist()
        if bounded:
            v = _drawn_between(v, [bound for node in self.nodes for bound in node.joint.velocity_bounds], rng)
        return np.array(v, dtype=np.float64)

    def to_principal_values(self) -> None:
        """Replace coordinates by principal ones of the same pose: quaternions with w >= 0, shortest rotation vectors.

        Velocities do not change.
        """
        self.engine.check()
        q = [to_float(x) for node in self.nodes for x in node.joint.type.principal_value(self.joint_q(node))]
        self._buffers.write(Q, checked_configuration(self.layout, q))

    def normalize(self) -> None:
        """Normalise quaternions and other constrained coordinates."""
        self.engine.check()
        self._buffers.write(Q, checked_configuration(self.layout, self._buffers.q.copy(), normalize=True))

    def global_coordinates(self, q0: ArrayLike, phi: ArrayLike) -> None:
        """Set the configuration with local coordinates `phi` around `q0`; the inverse of `local_coordinates`.

        Raises RotationError for a `q0` whose quaternion is zero.
        """
        self.engine.check()
        layout = self.layout
        start = tuple(float_array(q0, (layout.nq,), "q0").tolist())
        step = tuple(float_array(phi, (layout.nv,), "phi").tolist())
        require_rotations(self, start)
        q = [
            to_float(x)
            for node in self.nodes
            for x in node.joint.type.global_coordinates(start[node.q_slice], step[node.v_slice])
        ]
        self._buffers.write(Q, checked_configuration(layout, q))

    @override
    def with_scalars(
        self, q: Sequence[Scalar] | NDArray[Any] | None = None, v: Sequence[Scalar] | NDArray[Any] | None = None
    ) -> ScalarState:
        """Return a state at coordinates of any scalar type, by default those of this state."""
        self.engine.check()
        q = self.configuration_scalars() if q is None else q
        return ScalarState(self.mechanism, q, self.velocity_scalars() if v is None else v)

    @override
    def checked_pass(self, value: Value, name: str) -> Value:
        """Return a value of a pass, which machine code has checked; check it in interpreted execution (internal)."""
        return self.checked(value, name) if INTERPRETED_CONTEXTS[0] else value

    def _with_joint(
        self, which: int, target: ArrayLike | Joint, value: Any, convert: Callable[[TreeNode, Any, Vector], Array]
    ) -> ArrayLike:
        """Return coordinates (Q or V) to write: `target`, or those of the state with another value for this joint."""
        if not isinstance(target, (Joint, str)):
            if value is not None:
                raise not_a_joint_error(target, value)
            return target
        node = self.layout.node(target)
        values, part = (self._buffers.q, node.q_slice) if which == Q else (self._buffers.v, node.v_slice)
        values = values.copy()
        values[part] = convert(node, value, self.configuration_scalars()[node.q_slice])
        return values

    @override
    def __repr__(self) -> str:
        return joint_table(
            "MechanismState", self._layout, {"q": self._buffers.q.tolist(), "v": self._buffers.v.tolist()}
        )

    def _repr_html_(self) -> str:
        return preformatted(repr(self))

    # --- helpers -----------------------------------------------------------------------------------

    def _zero_configuration(self) -> Array:
        return np.array([x for node in self.nodes for x in node.joint.type.zero()], dtype=np.float64)

    def _checked_velocity(self, v: ArrayLike) -> Array:
        return checked_vector(self.layout, v, "v")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle mechanism, q and v; the copy belongs to the thread that unpickles it."""
        return MechanismState, (self.mechanism, self._buffers.q.copy(), self._buffers.v.copy())


def _generator(rng: object) -> np.random.Generator:
    """Return the generator given, or a new one for a seed; None draws a seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    seed = None if rng is None else whole_number(rng, "rng (a generator or a seed)", 0)
    return np.random.default_rng(seed)


def _bounds_of_draws(joint: Joint) -> Bounds:
    """Return the position bounds of a joint; no bounds if it has more coordinates than velocities."""
    return joint.position_bounds if joint.nq == joint.nv else (UNBOUNDED,) * joint.nq


def _drawn_between(values: Sequence[float], bounds: Sequence[Bound], rng: np.random.Generator) -> list[float]:
    """Return values drawn between (lower, upper) pairs; where one is infinite, as they are, or at the other."""
    drawn: list[float] = []
    for value, (lower, upper) in zip(values, bounds, strict=True):
        low, high = to_float(lower), to_float(upper)
        drawn.append(rng.uniform(low, high) if math.isfinite(high - low) else min(max(value, low), high))
    return drawn


def _read_only(array: Array) -> Array:
    """Return a read-only view that cannot be made writeable: its buffer is read-only."""
    if array.size == 0:
        array.flags.writeable = False
        return array.view()
    return np.frombuffer(array.data.toreadonly(), dtype=np.float64)
