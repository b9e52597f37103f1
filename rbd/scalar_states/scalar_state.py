"""Scalar state: coordinates of any scalar family (complex, symbolic, interval, exact, recorded)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, cast, final

from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import boolean, require_kind
from rbd.indexing.joint_values import joint_table
from rbd.kinematics.queries import State, read_only_setter
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mechanism.joint import PerVelocityParameter
from rbd.scalar_states.parameter_arrays import ParameterValues
from rbd.scalar_states.regroup import regrouped
from rbd.scalar_states.source_engine import SourceEngine
from rbd.scalars import Scalar, Vector, is_float, lift
from rbd.scalars.arrays import ScalarArray, scalars
from rbd.scalars.registry import family_of
from rbd.spatial import FreeVector, SpatialInertia, Transform

_PLAIN_NUMBERS: Final = frozenset({float, int})
"""Types of numbers that are combined with recorded scalars without conversion."""


@final
class ScalarState(State[ScalarArray]):
    """A mechanism at coordinates of any scalar type; immutable.

    It has all queries and algorithms of live states, which run their Python source. Arrays hold the state's scalars:
    dtype object, or float64 and complex128 for these numbers.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> step = state.with_scalars([0.1 + 1e-30j, 0.2], [0.0, 0.0])
    >>> float(rbd.gravitational_potential_energy(step).imag / 1e-30) > 0   # complex-step derivative
    True
    """

    def __init__(
        self,
        mechanism: Mechanism,
        q: Sequence[Scalar] | NDArray[Any],
        v: Sequence[Scalar] | NDArray[Any],
        *,
        parameters: ParameterValues | None = None,
        regroup: bool = False,
    ) -> None:
        """Set the coordinates; raise ShapeError or NotFiniteError if they are invalid.

        `parameters` override those of the mechanism.
        `regroup` regroups inertial parameters, which saves operations of joint torques, mass matrix and joint
        accelerations. Momenta, energies and wrenches of single bodies are then wrong.
        """
        super().__init__(mechanism)
        if parameters is not None:
            require_kind(parameters, ParameterValues, operation="ScalarState", argument="parameters")
        self._parameters = parameters
        self._regroups = boolean(regroup, "regroup")
        self._q = scalars(q, self._layout.nq, "q")
        self._v = scalars(v, self._layout.nv, "v")
        self._like = next((x for x in self._q + self._v if not is_float(x)), None)
        """A scalar of the state's family; None if all are floats."""
        # Only families for which floats are inexact (or of the wrong type) need lifted parameters.
        self._lifts_parameters = self._like is not None and not isinstance(self._like, complex)
        self._keeps_floats = self._like is not None and family_of(self._like).records
        self._q, self._v = tuple(map(self.lifted, self._q)), tuple(map(self.lifted, self._v))
        float_type = None if self._lifts_parameters else float if self._like is None else complex
        self.engine = SourceEngine(mechanism, self._layout, float_type)

    @override
    def with_scalars(
        self, q: Sequence[Scalar] | NDArray[Any] | None = None, v: Sequence[Scalar] | NDArray[Any] | None = None
    ) -> ScalarState:
        """Return a state with the same parameters at other coordinates, by default those of this state."""
        return ScalarState(
            self.mechanism,
            self._q if q is None else q,
            self._v if v is None else v,
            parameters=self._parameters,
            regroup=self._regroups,
        )

    def configuration_scalars(self) -> Vector:
        """Return q as scalars."""
        return self._q

    def velocity_scalars(self) -> Vector:
        """Return v as scalars."""
        return self._v

    def lifted(self, value: Scalar) -> Scalar:
        """Return a parameter in this state's scalar family."""
        if not self._lifts_parameters or self._like is None or (self._keeps_floats and type(value) in _PLAIN_NUMBERS):
            return value
        return lift(value, self._like)

    @override
    def __repr__(self) -> str:
        return joint_table("ScalarState", self._layout, {"q": self._q, "v": self._v})

    # --- parameters: the ones given, else the mechanism's --------------------------------------------------

    @override
    def uncached_inertia(self, body: RigidBody) -> SpatialInertia:
        """Return the inertia of `body`, in its default frame; zero for the root."""
        index, parameters = self.layout.body_index(body), self._parameters
        if parameters is None or index == 0 or not parameters.has("inertia"):
            return super().uncached_inertia(body)
        return parameters.inertia(index, body.default_frame)

    @override
    def regrouped(self, inertias: tuple[SpatialInertia, ...]) -> tuple[SpatialInertia, ...]:
        """Return the inertias of all bodies, regrouped if this state regroups inertial parameters."""
        return regrouped(self, inertias) if self._regroups else inertias

    @override
    def placement(self, joint: Joint | str) -> Transform:
        """Return the placement of `joint`: from its frame_before to the default frame of its predecessor."""
        parameters, own = self._parameters, super().placement(joint)
        if parameters is None or not parameters.has("placement") or self.layout.loop(joint) is not None:
            return own
        return parameters.placement(self.layout.node(joint).index, own)

    @property
    @override
    def gravity(self) -> FreeVector:
        """The acceleration of free fall, in the root frame."""
        parameters = self._parameters
        if parameters is None or not parameters.has("gravity"):
            return super().gravity
        return FreeVector.trusted(self.layout.root_frame, parameters.gravity())

    @override
    def joint_parameter(self, joint: Joint, name: PerVelocityParameter) -> Vector:
        """Return a parameter of `joint`, one number per velocity."""
        parameters = self._parameters
        if parameters is None or not parameters.has(name) or self.layout.loop(joint) is not None:
            return super().joint_parameter(joint, name)
        return parameters.per_velocity(self.layout.node(joint).v_slice, name)

    @property
    def q(self) -> ScalarArray:
        """The configuration."""
        return cast("ScalarArray", self.engine.pack(self._q, "q", (len(self._q),)))

    @property
    def v(self) -> ScalarArray:
        """The velocity."""
        return cast("ScalarArray", self.engine.pack(self._v, "v", (len(self._v),)))

    if not TYPE_CHECKING:  # type checkers refuse the assignment
        q = q.setter(read_only_setter("q", "state.with_scalars(q=...) for another state"))
        v = v.setter(read_only_setter("v", "state.with_scalars(v=...) for another state"))
