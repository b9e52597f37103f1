"""The live state: float64 coordinates, versions, and passes remembered until something they need changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbd.arguments import whole_number
from rbd.mechanism import Joint, Mechanism
from rbd.scalars import Scalar, Vector, to_float
from rbd.scalars.arrays import Array, float_array
from rbd.spatial import Transform, Twist
from rbd.state.coordinates import (
    checked_configuration,
    checked_vector,
    configuration_of,
    only_for_joints,
    velocity_of,
)
from rbd.state.live_engine import LiveEngine, Q, V
from rbd.state.queries import State
from rbd.state.scalar_state import ScalarState

WRITES = 32
"""Writes of q or v before a builtin is made for them."""


@final
class MechanismState(State[Array]):
    """Configuration and velocity of a mechanism, with everything derived from them computed once and remembered.

    `q` and `v` are shown as read-only views; they are written through methods only, so that nothing derived from them
    is ever stale. A state belongs to the thread that made it; `adopt` hands it over.

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
        self.engine = self._live = LiveEngine(mechanism, layout)
        self._q_view, self._v_view = _read_only(self._live.q), _read_only(self._live.v)
        self._writers: list[Callable[..., Any] | None] = [None, None, None]
        self._writes = [0, 0, 0]
        self._live.write(Q, self._zero_configuration() if q is None else checked_configuration(layout, q))
        self._live.write(V, np.zeros(layout.nv) if v is None else self._checked_velocity(v))

    # --- reading -----------------------------------------------------------------------------------

    @property
    def q(self) -> Array:
        """The configuration: a read-only view that follows the state."""
        return self._q_view

    @property
    def v(self) -> Array:
        """The velocity: a read-only view that follows the state."""
        return self._v_view

    def configuration_scalars(self) -> Vector:
        """Return q as Python floats."""
        return self._live.floats(Q)

    def velocity_scalars(self) -> Vector:
        """Return v as Python floats."""
        return self._live.floats(V)

    def lifted(self, value: Scalar) -> Scalar:
        """Return a parameter as it is."""
        return value

    def adopt(self) -> None:
        """Make the calling thread the owner of this state."""
        self._live.adopt()

    # --- writing -----------------------------------------------------------------------------------

    @overload
    def set_configuration(self, q: ArrayLike, /, *, normalize: bool = False) -> None: ...
    @overload
    def set_configuration(self, joint: Joint, value: ArrayLike | Transform, /, *, normalize: bool = False) -> None: ...

    def set_configuration(
        self, q: ArrayLike | Joint, value: ArrayLike | Transform | None = None, /, *, normalize: bool = False
    ) -> None:
        """Set all of q, or the configuration of one joint: `set_configuration(q)`, `set_configuration(joint, value)`.

        The value of a joint is a number, an array of its coordinates, or a Transform from its frame_after to its
        frame_before. A quaternion must have unit norm to 1e-6 and is then normalised; `normalize=True` accepts any
        norm but zero. Raises ShapeError, NotFiniteError (naming the joint), RotationError, FrameMismatchError; the
        state is unchanged then.
        """
        if value is None and not normalize and (write := self._writers[Q]) is not None and write(q) is None:
            return
        self._live.check()
        if isinstance(q, Joint):
            link = self.layout.link(q)
            whole = self._live.q.copy()
            whole[link.q] = configuration_of(link, value, self.configuration_scalars()[link.q])
            q = whole
        elif value is not None:
            raise only_for_joints(q, value)
        self._live.write(Q, checked_configuration(self.layout, q, normalize=normalize))
        self._wrote(Q)

    @overload
    def set_velocity(self, v: ArrayLike, /) -> None: ...
    @overload
    def set_velocity(self, joint: Joint, value: ArrayLike | Twist, /) -> None: ...

    def set_velocity(self, v: ArrayLike | Joint, value: ArrayLike | Twist | None = None, /) -> None:
        """Set all of v, or the velocity of one joint: `set_velocity(v)`, `set_velocity(joint, value)`.

        The value of a joint is a number, an array, or the Twist of its frame_after with respect to its frame_before,
        expressed in frame_after. Raises as `set_configuration`; the state is unchanged then.
        """
        if value is None and (write := self._writers[V]) is not None and write(v) is None:
            return
        self._live.check()
        if isinstance(v, Joint):
            link = self.layout.link(v)
            whole = self._live.v.copy()
            whole[link.v] = velocity_of(link, value, self.configuration_scalars()[link.q])
            v = whole
        elif value is not None:
            raise only_for_joints(v, value)
        self._live.write(V, self._checked_velocity(v))
        self._wrote(V)

    def zero(self) -> None:
        """Go to the zero configuration (every joint transform the identity), at rest."""
        self._live.check()
        self._live.write(Q, self._zero_configuration())
        self._live.write(V, np.zeros(self.layout.nv))

    def randomize(self, rng: np.random.Generator | int | None = None) -> None:
        """Draw a random configuration of every joint type's own distribution, and velocities from N(0, 1).

        `rng` is a generator or a seed of 0 or more. Raises ArgumentError for anything else.
        """
        self._live.check()
        generator = _generator(rng)
        q = [x for link in self.links for x in link.joint.type.random(generator)]
        self._live.write(Q, np.array(q, dtype=np.float64))
        self._live.write(V, generator.standard_normal(self.layout.nv))

    def normalize(self) -> None:
        """Remove rounding from quaternions and other constrained coordinates."""
        self._live.check()
        self._live.write(Q, checked_configuration(self.layout, self._live.q.copy(), normalize=True))

    def global_coordinates(self, q0: ArrayLike, phi: ArrayLike) -> None:
        """Set the configuration that `phi` describes as seen from `q0`; the inverse of `local_coordinates`."""
        self._live.check()
        layout = self.layout
        start = tuple(float_array(q0, (layout.nq,), "q0").tolist())
        step = tuple(float_array(phi, (layout.nv,), "phi").tolist())
        q = [
            to_float(x) for link in self.links for x in link.joint.type.global_coordinates(start[link.q], step[link.v])
        ]
        self._live.write(Q, checked_configuration(layout, q))

    def with_scalars(
        self, q: Sequence[Scalar] | NDArray[Any] | None = None, v: Sequence[Scalar] | NDArray[Any] | None = None
    ) -> ScalarState:
        """Return a state at coordinates of any scalar type; this state's own where not given."""
        self._live.check()
        q = self.configuration_scalars() if q is None else q
        return ScalarState(self.mechanism, q, self.velocity_scalars() if v is None else v)

    def _wrote(self, which: int) -> None:
        """Have coordinates written by a builtin from now on, once they are written often."""
        self._writes[which] += 1
        if self._writes[which] >= WRITES and self._writers[which] is None:
            self._writers[which] = self._live.writer(which)

    # --- inside ------------------------------------------------------------------------------------

    def _zero_configuration(self) -> Array:
        return np.array([x for link in self.links for x in link.joint.type.zero()], dtype=np.float64)

    def _checked_velocity(self, v: ArrayLike) -> Array:
        return checked_vector(self.layout, v, "v")

    def __reduce__(self) -> tuple[object, ...]:
        """Keep mechanism, q and v; the new state belongs to the thread that unpickles it."""
        return MechanismState, (self.mechanism, self._live.q.copy(), self._live.v.copy())


def _generator(rng: object) -> np.random.Generator:
    """Return the generator given, or a new one for a seed; None draws a seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    seed = None if rng is None else whole_number(rng, "rng (a generator or a seed)", 0)
    return np.random.default_rng(seed)


def _read_only(array: Array) -> Array:
    """Return a view that cannot be made writeable again: its memory is handed over read-only."""
    if array.size == 0:
        array.flags.writeable = False
        return array.view()
    return np.frombuffer(array.data.toreadonly(), dtype=np.float64)
