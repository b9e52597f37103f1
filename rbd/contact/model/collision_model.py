"""`CollisionModel`: signed distances of the shapes of a mechanism, their contact Jacobian and bias."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias, final, get_args, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import require_choice, require_kind
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.record import InputShape
from rbd.contact.arguments import pair_indices
from rbd.contact.model.broad_phase import near_pairs
from rbd.contact.model.collision_pairs import CollisionPairs
from rbd.contact.model.contact_kinematics import distance_and_jacobian, distance_and_witnesses, distance_bias
from rbd.contact.model.distances import Distance, from_row, normals_array, previous_normals
from rbd.contact.model.narrow_phase import NarrowPhase
from rbd.contact.model.pair_functions import PAIR_FUNCTIONS, PairFunctionName
from rbd.contact.model.recorded_functions import RecordedFunctions
from rbd.contact.model.shape_table import ShapeTable
from rbd.errors import ArgumentError
from rbd.kernels.kernel import require_state
from rbd.kinematics.queries import State
from rbd.mechanism import Mechanism
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array
from rbd.scalars.number_checks import not_nan
from rbd.state import MechanismState

FrictionCone: TypeAlias = Literal["polyhedral", "round"]
CONES: Final[tuple[str, ...]] = get_args(FrictionCone)
_WITHOUT_BROAD_PHASE: Final = "height fields, cylinders or ellipsoids"
PairIndices: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]


@final
class CollisionModel(CollisionPairs):
    """Shapes fixed to the bodies of a mechanism, and the pairs whose distance is computed, as functions of a state.

    >>> import rbd
    >>> from rbd.contact import Capsule, CollisionModel, HalfSpace
    >>> mechanism = rbd.robots.double_pendulum()
    >>> world, link = mechanism.root_body, mechanism.bodies[-1]
    >>> floor = HalfSpace(rbd.Point(world.default_frame, (0, 0, -3)), rbd.FreeVector(world.default_frame, (0, 0, 1)))
    >>> model = CollisionModel(mechanism)
    >>> ground = model.add(world, floor)
    >>> rod = model.add(link, Capsule(link.default_frame, length=0.4, radius=0.05))
    >>> model.add_pair(rod, ground)
    >>> near = model.distances(rbd.MechanismState(mechanism))
    >>> round(float(near[0].value), 6)
    1.75
    """

    def __init__(self, mechanism: Mechanism, *, friction_cone: FrictionCone = "polyhedral") -> None:
        """Start without shapes; `friction_cone`: "polyhedral", with four edges, or "round", for time steps."""
        require_kind(mechanism, Mechanism, operation="CollisionModel", argument="mechanism")
        require_choice(friction_cone, CONES, "friction_cone", "friction cone")
        super().__init__(mechanism, round_cones=friction_cone == "round")
        self._functions = RecordedFunctions(mechanism)
        self._shape_table: ShapeTable | None = None
        self._narrow_phase: NarrowPhase | None = None

    def __copy__(self) -> CollisionModel:
        """Return a model of the same mechanism and shapes, with a list of pairs of its own."""
        self._find_bodies()
        copied = CollisionModel(self._mechanism, friction_cone="round" if self._round_cones else "polyhedral")
        copied._shapes, copied._pairs = dict(self._shapes), list(self._pairs)
        return copied

    def near(self, state: MechanismState, margin: float) -> NDArray[np.intp]:
        """Broad phase: return the indices of all pairs nearer than `margin` (m), and of few others.

        It compares bounding spheres. With hundreds of pairs, pass its result to `distances` and `jacobian`, which then
        compute these pairs only. Raises ArgumentError for a margin that is no number, for states that are not live, and
        for models with height fields, cylinders or ellipsoids.

        >>> import rbd
        >>> mechanism, model = rbd.robots.hand()
        >>> model.add_all_pairs()
        >>> state = rbd.MechanismState(mechanism)
        >>> near = model.near(state, margin=0.01)
        >>> len(near) < len(model.pairs), len(model.distances(state, pairs=near)) == len(near)
        (True, True)
        """
        self.require(state)
        table = self._table("near()", "use distances(state), for all pairs", "state")
        return near_pairs(table, _live(state), not_nan(margin, "margin"))

    @overload
    def distances(  # pyright: ignore[reportOverlappingOverload]  # lists are invariant, and a live state is a state
        self,
        state: MechanismState,
        previous: Sequence[Distance[Any]] | None = None,
        *,
        pairs: PairIndices | None = None,
    ) -> list[Distance[float]]: ...
    @overload
    def distances(
        self, state: State[Any], previous: Sequence[Distance[Any]] | None = None, *, pairs: PairIndices | None = None
    ) -> list[Distance[Scalar]]: ...
    def distances(
        self, state: State[Any], previous: Sequence[Distance[Any]] | None = None, *, pairs: PairIndices | None = None
    ) -> list[Distance[Any]]:
        """Return the signed distance of every pair, in the order of the pairs; with `pairs`, of these indices only.

        Where the axes of two shapes meet, the normal is undefined: it is that of `previous`, the list this method
        returned before; without it, a direction perpendicular to both axes. For parallel segments, whose nearest points
        are not unique, the witnesses are in the middle of the overlap. The result depends on the arguments only.

        Raises ArgumentError for pairs that do not exist, for pairs in models for which `near` is not, and
        when `previous` holds another number of distances; SolverError for convex hulls that overlap by more than their
        radii.
        """
        self.require(state)
        root = state.layout.root_frame
        if pairs is not None:
            return self._distances_of_pairs(state, previous, pair_indices(pairs, len(self._pairs), "pairs"))
        normals = None if previous is None else previous_normals(previous, len(self._pairs), root)
        if not isinstance(state, MechanismState):
            return self._distances_of_scalars(state, normals)
        if normals is None:
            found = self._recorded("distances")(state.q, state.v)
        else:
            found = self._recorded("distances_with_previous")(state.q, state.v, normals_array(normals))
        return [from_row(row, root) for row in np.asarray(found).tolist()]

    def _distances_of_pairs(
        self, state: State[Any], previous: Sequence[Distance[Any]] | None, pairs: NDArray[np.intp]
    ) -> list[Distance[float]]:
        live, root = _live(state), state.layout.root_frame
        earlier = normals_array(previous_normals(previous, pairs.size, root))
        table = self._narrow_phase_of_pairs().distances(live, pairs, earlier)
        return [from_row(row, root) for row in table.tolist()]

    def _distances_of_scalars(self, state: State[Any], normals: Sequence[Any] | None) -> list[Distance[Scalar]]:
        distances: list[Distance[Scalar]] = []
        for k, pair in enumerate(self._pairs):
            normal: Any = None if normals is None else state.vector(normals[k], 3, "previous")
            phi, witnesses = distance_and_witnesses(state, pair, normal)
            distances.append(Distance(phi, *witnesses))
        return distances

    def jacobian(self, state: State[Any], *, pairs: PairIndices | None = None, out: Array | None = None) -> Array:
        """Return the contact Jacobian J: phi' = J v, one row per pair, (pairs, nv); with `pairs`, these rows only.

        Where the nearest points are not unique (parallel segments, faces on faces), phi' has a jump; the row is that of
        the witnesses that `distances` returns.
        """
        self.require(state)
        shape = (len(self._pairs), state.layout.nv)
        if pairs is not None:
            chosen = pair_indices(pairs, len(self._pairs), "pairs")
            live = _live(state)
            rows = self._narrow_phase_of_pairs().jacobian(live, chosen).tolist()
            shape = (chosen.size, state.layout.nv)
        elif isinstance(state, MechanismState):
            return np.asarray(self._recorded("jacobian")(state.q, state.v, out=out))
        else:
            rows = [distance_and_jacobian(state, pair)[1] for pair in self._pairs]
        packed: Array = state.engine.pack(rows, "contact jacobian", shape, out)
        return packed

    def bias(self, state: State[Any], *, out: Array | None = None) -> Array:
        """Return b in phi'' = J vd + b, exactly, with the sliding of the witnesses on the surfaces; (pairs,)."""
        self.require(state)
        if isinstance(state, MechanismState):
            return np.asarray(self._recorded("bias")(state.q, state.v, out=out))
        biases = [distance_bias(state, pair) for pair in self._pairs]
        packed: Array = state.engine.pack(biases, "contact bias", (len(self._pairs),), out)
        return packed

    def recorded(self, name: PairFunctionName) -> RecordedFunction:
        """Return one of the model's functions of arrays (q, v), which may have leading batch axes.

        "distances": ten numbers per pair: value, witnesses, normal; "distances_with_previous" takes previous normals,
        (pairs, 3), as a third argument; "jacobian" and "bias": as the methods of these names; "elastic_energies": the
        sum of k depth² / 2 over the contact points of each pair, zero for hard pairs. The function is for the mechanism
        and the pairs as they are now. Raises ArgumentError for other names.

        >>> import numpy as np, rbd
        >>> mechanism, model = rbd.robots.hand()
        >>> q = np.zeros((100, mechanism.nq))
        >>> model.recorded("distances")(q, np.zeros(mechanism.nv)).shape
        (100, 4, 10)
        """
        require_choice(name, tuple(PAIR_FUNCTIONS), "name", "function of a collision model")
        self._find_bodies()
        return self._recorded(name)

    def _recorded(self, name: PairFunctionName) -> RecordedFunction:
        inputs: dict[str, InputShape] = {"previous": (len(self._pairs), 3)} if name == "distances_with_previous" else {}
        return self._functions.recorded(name, partial(PAIR_FUNCTIONS[name], self._pairs), inputs)

    @property
    def functions(self) -> RecordedFunctions:
        """Functions recorded for this model, those of steps and accelerations included (internal)."""
        return self._functions

    @override
    def __repr__(self) -> str:
        return f"<collision model: {len(self._shapes)} shapes, {len(self._pairs)} pairs>"

    def require(self, state: State[Any]) -> None:
        """Raise ArgumentError for a state of another mechanism, StaleStateError for one that is out of date."""
        require_state(state, "a collision model")
        if state.mechanism is not self._mechanism:
            message = "the state is of another mechanism than the collision model; make both for the same one"
            raise ArgumentError(message, argument="state", value=state)
        state.engine.check()
        self._find_bodies()

    @override
    def _changed(self) -> None:
        self._functions.clear()
        self._shape_table = self._narrow_phase = None

    def _table(self, name: str, instead: str, argument: str) -> ShapeTable:
        """Return the shapes as a table; raise ArgumentError, which says what needs it, for shapes that are in none."""
        if self._shape_table is None:
            if not ShapeTable.can_hold(self.shapes):
                message = f"{name} is not for models with {_WITHOUT_BROAD_PHASE}; {instead}"
                raise ArgumentError(message, argument=argument, value=self)
            record = partial(self._functions.recorded, inputs={})
            self._shape_table = ShapeTable(self._mechanism, tuple(self._shapes.values()), self._pairs, record)
        return self._shape_table

    def _narrow_phase_of_pairs(self) -> NarrowPhase:
        if self._narrow_phase is None:
            self._narrow_phase = NarrowPhase(self._table("pairs", "leave it out", "pairs"))
        return self._narrow_phase


def _live(state: State[Any]) -> MechanismState:
    """Return a live state; raise ArgumentError for others."""
    if not isinstance(state, MechanismState):
        message = "pairs and near() need a live state, rbd.MechanismState; leave pairs out for other states"
        raise ArgumentError(message, argument="state", value=state)
    return state
