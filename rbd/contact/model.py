"""How close the shapes of a mechanism's bodies come, and how that changes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, cast, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import require_choice
from rbd.compiled import RecordedFunction
from rbd.compiled.evaluation import Result
from rbd.compiled.record import Shape as InputShape
from rbd.contact.arguments import ordered, pair_numbers
from rbd.contact.distance import Distance, earlier_normals, from_row, normals_array
from rbd.contact.functions import Functions
from rbd.contact.kinematics import distance_and_row, nearest, second_order
from rbd.contact.phases import Phases
from rbd.contact.tables import BODIES
from rbd.contact.watched import WatchedShapes
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array
from rbd.spatial.values import require_kind
from rbd.state import MechanismState, State
from rbd.state.kernel import require_state

Recorded: TypeAlias = Literal["distances", "distances again", "jacobian", "bias"]


@final
class CollisionModel(WatchedShapes):
    """Shapes fixed to bodies, and the pairs of them that are watched. It keeps no state: distances are functions of q.

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

    def __init__(self, mechanism: Mechanism) -> None:
        """Begin without shapes."""
        require_kind(mechanism, Mechanism, operation="CollisionModel", argument="mechanism")
        super().__init__(mechanism)
        self._functions = Functions(mechanism)
        self._phases: Phases | None = None

    # --- what it computes ---------------------------------------------------------------------------------------------

    def near(self, state: MechanismState, margin: float) -> NDArray[np.intp]:
        """Return the numbers of the pairs that may be nearer than `margin` (m): all that are, and few that are not.

        It compares balls around the shapes. With hundreds of pairs, hand its result to `distances` and `jacobian`,
        which then look at these pairs alone. Raises ArgumentError for a margin that is no number, and for states that
        are not live.

        >>> import rbd
        >>> mechanism, model = rbd.robots.hand()
        >>> model.add_all_pairs()
        >>> state = rbd.MechanismState(mechanism)
        >>> near = model.near(state, margin=0.01)
        >>> len(near) < len(model.pairs), len(model.distances(state, pairs=near)) == len(near)
        (True, True)
        """
        self.require(state)
        return self._phased(state).near(state, ordered(margin, "margin"))

    @overload
    def distances(  # pyright: ignore[reportOverlappingOverload]  # lists are invariant, and a live state is a state
        self,
        state: MechanismState,
        previous: Sequence[Distance[Any]] | None = None,
        *,
        pairs: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    ) -> list[Distance[float]]: ...
    @overload
    def distances(
        self,
        state: State[Any],
        previous: Sequence[Distance[Any]] | None = None,
        *,
        pairs: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    ) -> list[Distance[Scalar]]: ...
    def distances(
        self,
        state: State[Any],
        previous: Sequence[Distance[Any]] | None = None,
        *,
        pairs: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    ) -> list[Distance[Any]]:
        """Return how close every pair is, in the order of the pairs; with `pairs`, how close these are, by number.

        Where the axes of two shapes meet, the normal is undefined: `previous`, what this method returned before, keeps
        the direction it had then; without it a direction perpendicular to both is taken. Parallel segments have many
        nearest points: the middle of what they share is given. The result depends on nothing but the arguments.

        Raises ArgumentError for pairs that do not exist, and when `previous` is not what was found for as many.
        """
        self.require(state)
        root = state.layout.root_frame
        if pairs is not None:
            chosen = pair_numbers(pairs, len(self._pairs), "pairs")
            earlier = normals_array(earlier_normals(previous, chosen.size, root))
            table = self._phased(state).distances(cast("MechanismState", state), chosen, earlier)
            return [from_row(row, root) for row in table.tolist()]
        if not isinstance(state, MechanismState):
            return self._distances_of_scalars(state, previous)
        if previous is None:
            found = self._recorded("distances")(state.q, state.v)
        else:
            earlier = normals_array(earlier_normals(previous, len(self._pairs), root))
            found = self._recorded("distances again")(state.q, state.v, earlier)
        return [from_row(row, root) for row in np.asarray(found).tolist()]

    def _distances_of_scalars(
        self, state: State[Any], previous: Sequence[Distance[Any]] | None
    ) -> list[Distance[Scalar]]:
        found: list[Distance[Scalar]] = []
        normals = earlier_normals(previous, len(self._pairs), state.layout.root_frame)
        for pair, normal in zip(self._pairs, normals, strict=True):
            x, y, z = state.vector(normal, 3, "previous")
            value, points = nearest(state, pair, (x, y, z))
            found.append(Distance(value, *points))
        return found

    def jacobian(
        self,
        state: State[Any],
        *,
        pairs: Sequence[int] | NDArray[np.integer[Any]] | None = None,
        out: Array | None = None,
    ) -> Array:
        """Return J with dd/dt = J v, one row per pair, (pairs, nv); with `pairs`, the rows of these alone.

        At a configuration where the nearest points are not unique (parallel segments, resting faces) the derivative
        has a jump; the row is that of the witnesses `distances` gives.
        """
        self.require(state)
        if pairs is not None:
            chosen = pair_numbers(pairs, len(self._pairs), "pairs")
            rows_of_pairs = self._phased(state).rows(cast("MechanismState", state), chosen)
            return cast(
                "Array", state.engine.pack(rows_of_pairs.tolist(), "contact jacobian", rows_of_pairs.shape, out)
            )
        if isinstance(state, MechanismState):
            return _only(self._recorded("jacobian")(state.q, state.v, out=out))
        rows = [distance_and_row(state, pair)[1] for pair in self._pairs]
        packed: Array = state.engine.pack(rows, "contact jacobian", (len(self._pairs), state.layout.nv), out)
        return packed

    def bias(self, state: State[Any], *, out: Array | None = None) -> Array:
        """Return b with d'' = J vd + b, exactly: what the material points do, and the witnesses' sliding, (pairs,)."""
        self.require(state)
        if isinstance(state, MechanismState):
            return _only(self._recorded("bias")(state.q, state.v, out=out))
        biases = [second_order(state, pair) for pair in self._pairs]
        packed: Array = state.engine.pack(biases, "contact bias", (len(self._pairs),), out)
        return packed

    def recorded(self, name: Recorded) -> RecordedFunction:
        """Return one of the model's functions of arrays (q, v), which may have leading batch axes.

        "distances": ten numbers per pair: the value, the witnesses, the normal; "distances again" takes earlier
        normals, (pairs, 3), as a third argument; "jacobian" and "bias": as the methods of these names. It is for the
        mechanism and the pairs as they are now. Raises ArgumentError for other names.

        >>> import numpy as np, rbd
        >>> mechanism, model = rbd.robots.hand()
        >>> q = np.zeros((100, mechanism.nq))
        >>> model.recorded("distances")(q, np.zeros(mechanism.nv)).shape
        (100, 4, 10)
        """
        require_choice(name, tuple(BODIES), "name", "function of a collision model")
        return self._recorded(name)

    def _recorded(self, name: Recorded) -> RecordedFunction:
        inputs: dict[str, InputShape] = {"previous": (len(self._pairs), 3)} if name == "distances again" else {}
        return self._functions.of(name, partial(BODIES[name], self._pairs), inputs)

    @property
    def functions(self) -> Functions:
        """What has been recorded of the shapes, for the mechanism as it is: steps and accelerations, too (internal)."""
        return self._functions

    @override
    def __repr__(self) -> str:
        return f"<collision model: {len(self._bodies)} shapes, {len(self._pairs)} pairs>"

    # --- inside -------------------------------------------------------------------------------------------------------

    def require(self, state: State[Any]) -> None:
        """Raise ArgumentError for a state of another mechanism, StaleStateError for one that is out of date."""
        require_state(state, "a collision model")
        if state.mechanism is not self._mechanism:
            raise ArgumentError(
                "the state is of another mechanism than the collision model", argument="state", value=state
            )
        state.engine.check()

    @override
    def _forget(self) -> None:
        self._functions.clear()
        self._phases = None

    def _phased(self, state: State[Any]) -> Phases:
        if not isinstance(state, MechanismState):
            raise ArgumentError("pairs are chosen for live states alone", argument="state", value=state)
        if self._phases is None:
            record = partial(self._functions.of, inputs={})
            self._phases = Phases(self._mechanism, tuple(self._bodies.values()), self._pairs, record)
        return self._phases


def _only(result: Result) -> Array:
    return result if isinstance(result, np.ndarray) else result[0]
