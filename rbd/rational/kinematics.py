"""`RationalForwardKinematics`: forward kinematics as polynomials and rational functions.

The kinematics are those of the state, run on polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, final, overload

from rbd.arguments import boolean, require_kind
from rbd.errors import (
    AmbiguousNameError,
    ArgumentError,
    FrameMismatchError,
    RbdError,
    StaleStateError,
    TopologyError,
    UnknownNameError,
)
from rbd.indexing.layout import layout_of
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.rational.bounds import Bounds, bounds_over
from rbd.rational.coordinates.configuration_map import ArrayOf, ConfigurationMap
from rbd.rational.coordinates.joint_coordinates import joint_coordinates
from rbd.rational.coordinates.nominal_configuration import NominalLike, nominal_values
from rbd.rational.polynomial_kinematics import Place, PolynomialKinematics
from rbd.rational.polynomials.half_angle import rational_function
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.polynomial_scalars import NominalValues
from rbd.rational.polynomials.rational_function import RationalFunction
from rbd.rational.polynomials.ring import Origin, Ring
from rbd.rational.polynomials.s_checks import checked_s
from rbd.rational.pose import MultilinearPose, RationalPose
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, Point

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rbd.scalars import Scalar


_MAX_CACHED = 8


@final
class RationalForwardKinematics:
    """Rational forward kinematics: poses of bodies as polynomials and as rational functions of variables s.

    Around a nominal configuration q*, poses are multilinear polynomials in cosines and sines of the angles q - q* and
    in displacements. With s = tan((q - q*) / 2) for angles, and s = q - q* for displacements, they are rational
    functions of s (Amice et al. 2022; Drake's `RationalForwardKinematics`). A rotation about any axis has three s: its
    axis times the tangent of half its angle, relative to q*. Joints that close loops have no variables and are ignored,
    as are couplings.

    Raises ArgumentError unless `mechanism` is a Mechanism, and for joints such as screws, whose transform is no
    rational function.

    >>> import rbd
    >>> from rbd.rational import RationalForwardKinematics
    >>> arm = rbd.robots.double_pendulum()
    >>> kinematics = RationalForwardKinematics(arm)
    >>> pose = kinematics.pose_polynomial([0, 0], "lower_link")
    >>> pose.rotation[0][0]
    cos[0]*cos[1] - sin[0]*sin[1]
    >>> kinematics.rational(pose.translation[0])
    -2*s[0] / (1 + s[0]**2)
    """

    def __init__(self, mechanism: Mechanism) -> None:
        """Assign variables to the tree joints, in their order."""
        require_kind(mechanism, Mechanism, operation="RationalForwardKinematics", argument="mechanism")
        self._mechanism = mechanism
        self._layout = layout_of(mechanism)
        self._coordinates = tuple(joint_coordinates(node.joint) for node in self._layout.nodes)
        coordinates = tuple(coordinate for group in self._coordinates for coordinate in group)
        self._kinds = tuple(coordinate.kind for coordinate in coordinates)
        self._map = ConfigurationMap(coordinates, self._layout.nq)
        self._ring = Ring(self._origin(()), exact=False)  # of the variables s, which are the same for every q*
        self._cached_kinematics: dict[object, PolynomialKinematics] = {}

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism."""
        return self._mechanism

    # --- the variables ------------------------------------------------------------------------------------------------

    @property
    def s_names(self) -> tuple[str, ...]:
        """The names of the entries of s in polynomials: `s[0]`, `s[1]` ..."""
        return tuple(f"s[{i}]" for i in range(self._ring.s_count))

    @property
    def s_descriptions(self) -> tuple[str, ...]:
        """For each entry of s, the name of its joint and the kind of the variable."""
        nodes = zip(self._layout.nodes, self._coordinates, strict=True)
        return tuple(f"{x.joint.name}: {c.kind.value}" for x, group in nodes for c in group for _ in range(c.ns))

    def s_index(self, joint: str | Joint) -> int:
        """Return the index of a joint's first variable in s; the others follow. -1 if it has none, as fixed joints.

        Raises ArgumentError, UnknownNameError or TopologyError when it is no joint of the mechanism.
        """
        self._require_current()
        try:
            own_joint = self._mechanism.joint(joint)
        except (UnknownNameError, TopologyError) as error:
            raise _with_argument(error, "joint") from None
        if self._layout.loop(own_joint) is not None:
            return -1
        number = self._layout.node(own_joint).index - 1
        if not self._coordinates[number]:
            return -1
        return sum(coordinate.ns for group in self._coordinates[:number] for coordinate in group)

    def variables(self, q_star: NominalLike, *, exact: bool = False) -> dict[str, Polynomial]:
        """Return every variable by name, to build polynomials around `q_star`."""
        ring = self._polynomial_kinematics(q_star, exact).ring
        return {name: Polynomial.variable(ring, g) for g, name in enumerate(ring.names)}

    # --- poses --------------------------------------------------------------------------------------------------------

    def pose_polynomial(
        self, q_star: NominalLike, body: Place | str, expressed_in: Place | str | None = None, *, exact: bool = False
    ) -> MultilinearPose:
        """Return the pose of `body` in `expressed_in` as multilinear polynomials around the configuration `q_star`.

        Both may be bodies (their default frames), frames fixed to bodies, names of either, or points (with the axes of
        their frames); `expressed_in` defaults to the root. With `exact` the coefficients are fractions: the floats of
        the mechanism are converted exactly, and angles of `q_star` other than zero must be given as `HalfTangent`.

        Raises ShapeError, NotFiniteError, UnknownNameError, FrameMismatchError or ArgumentError naming the argument.
        """
        polynomials = self._polynomial_kinematics(q_star, exact)
        place = self._checked_place(body, "body")
        reference = self._checked_place(
            self._mechanism.root_body if expressed_in is None else expressed_in, "expressed_in"
        )
        return polynomials.pose(place, reference)

    def _checked_place(self, place: Place | str, argument: str) -> Place:
        """Return a place; raise an error naming the argument when it is not on the mechanism."""
        require_kind(place, RigidBody, Frame, Point, str, operation="RationalForwardKinematics", argument=argument)
        try:
            if isinstance(place, Point):
                self._layout.body_and_frame(place.frame, argument)
                return place
            return self._layout.body_and_frame(place, argument)[1]
        except (AmbiguousNameError, FrameMismatchError, UnknownNameError) as error:
            raise _with_argument(error, argument) from None

    def _polynomial_kinematics(self, q_star: NominalLike, exact: bool) -> PolynomialKinematics:
        self._require_current()
        nominal = nominal_values(q_star, self._layout.nq, exact=exact)
        key = nominal, exact, self._mechanism.parameter_version
        kinematics = self._cached_kinematics.pop(key, None)
        if kinematics is None:
            ring = Ring(self._origin(nominal), exact=exact)
            kinematics = PolynomialKinematics(self._mechanism, self._coordinates, ring, nominal)
            if len(self._cached_kinematics) >= _MAX_CACHED:
                self._cached_kinematics.pop(next(iter(self._cached_kinematics)))
        self._cached_kinematics[key] = kinematics
        return kinematics

    def _origin(self, nominal: NominalValues) -> Origin:
        return Origin(self._layout.root_frame, self._kinds, nominal)

    def _require_current(self) -> None:
        version, current = self._layout.version, self._mechanism.structure_version
        if version != current:
            message = "the mechanism was edited since; make new RationalForwardKinematics(mechanism)"
            raise StaleStateError(message, made_with=version, now=current)

    # --- polynomials to rational functions ----------------------------------------------------------------------------

    @overload
    def rational(self, polynomial: Polynomial) -> RationalFunction: ...
    @overload
    def rational(self, polynomial: MultilinearPose) -> RationalPose: ...
    def rational(self, polynomial: Polynomial | MultilinearPose) -> RationalFunction | RationalPose:
        """Tangent half-angle substitution: return a polynomial, or all entries of a pose, as rational functions of s.

        Any polynomial of these kinematics can be converted: squared distances, products of entries. The denominators,
        powers of 1 + s², are minimal. Raises ArgumentError for other polynomials, and where a rotation's quaternion
        occurs in odd powers.
        """
        require_kind(polynomial, Polynomial, MultilinearPose, operation="rational", argument="polynomial")
        self._require_own_variables(polynomial.ring, "polynomial")
        if isinstance(polynomial, Polynomial):
            return rational_function(polynomial)
        return polynomial.rational()

    def _require_own_variables(self, ring: Ring, argument: str) -> None:
        if (ring.origin.frame, ring.origin.kinds) != (self._layout.root_frame, self._kinds):
            raise ArgumentError(
                f"{argument} belongs to another mechanism",
                argument=argument,
                value=ring,
                allowed="one of these kinematics",
            )

    # --- q and s ------------------------------------------------------------------------------------------------------

    def compute_s(self, q: ArrayLike | Sequence[Scalar], q_star: NominalLike, wrap: bool = False) -> ArrayOf:
        """Return s of the configuration q: tan((q - q*) / 2) for angles, q - q* for displacements.

        With `wrap`, angles half a turn or more away from q* become plus or minus infinity; without it, whole turns are
        ignored. q may have leading axes, or hold scalars of any type.

        Raises ShapeError, NotFiniteError or ArgumentError naming q or q_star, or s where it overflows.
        """
        self._require_current()
        nominal = nominal_values(q_star, self._layout.nq, exact=False)
        return self._map.to_s(q, nominal, wrap=boolean(wrap, "wrap"))

    def compute_q(self, s: ArrayLike | Sequence[Scalar], q_star: NominalLike) -> ArrayOf:
        """Return the configuration q of s: angles within half a turn of q*, which infinite s are exactly.

        s may have leading axes, or hold scalars of any type. Raises as `compute_s`, naming s, q_star, or q
        where it overflows.
        """
        self._require_current()
        nominal = nominal_values(q_star, self._layout.nq, exact=False)
        return self._map.to_q(checked_s(self._ring, s), nominal)

    # --- bounds -------------------------------------------------------------------------------------------------------

    @overload
    def bounds(
        self,
        pose: Polynomial | RationalFunction,
        s_low: ArrayLike,
        s_high: ArrayLike,
        *,
        pieces: SupportsIndex = 1,
    ) -> Bounds[float]: ...
    @overload
    def bounds(
        self,
        pose: MultilinearPose | RationalPose,
        s_low: ArrayLike,
        s_high: ArrayLike,
        *,
        pieces: SupportsIndex = 1,
    ) -> Bounds[Array]: ...
    def bounds(
        self,
        pose: Polynomial | RationalFunction | MultilinearPose | RationalPose,
        s_low: ArrayLike,
        s_high: ArrayLike,
        *,
        pieces: SupportsIndex = 1,
    ) -> Bounds[Any]:
        """Return rigorous bounds (low, high) for s in a box; of poses as 3×4 arrays, (rotation | position).

        The bounds include all rounding errors, those of the coefficients too. Bounds of s may be infinite
        for angles. Cutting the range of each variable into `pieces` makes the bounds tighter and takes that much
        longer. Raises ShapeError, NotFiniteError or ArgumentError naming the argument.
        """
        kinds = (Polynomial, RationalFunction, MultilinearPose, RationalPose)
        require_kind(pose, *kinds, operation="bounds", argument="pose")
        self._require_own_variables(pose.ring, "pose")
        return bounds_over(pose, s_low, s_high, pieces)


def _with_argument(error: RbdError, argument: str) -> RbdError:
    """Return the error with the name of the argument in its message."""
    return type(error)(f"{argument}: {error.message}", **{**error.fields, "argument": argument})
