"""Shapes of a mechanism's bodies, and the pairs of them whose distances matter.

Room: contact; may import compiled and above.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Literal, TypeAlias, TypeVar, cast, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import described, flag, require_choice
from rbd.compiled import RecordedFunction
from rbd.compiled.evaluation import Result
from rbd.compiled.record import Shape as InputShape
from rbd.compiled.record import record
from rbd.contact.arguments import ordered, pair_numbers
from rbd.contact.distance import Distance, earlier_normals, from_row, normals_array
from rbd.contact.kinematics import distance_and_row, nearest, second_order
from rbd.contact.pairs import Pair
from rbd.contact.phases import Phases
from rbd.contact.shapes import Box, Capsule, Shape, Sphere
from rbd.contact.tables import BODIES
from rbd.errors import ArgumentError, FrameMismatchError
from rbd.mechanism import Mechanism, RigidBody
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.values import require_kind
from rbd.state import MechanismState, State
from rbd.state.kernel import require_state

S = TypeVar("S", bound=Shape)
Recorded: TypeAlias = Literal["distances", "distances again", "jacobian", "bias"]


@final
class CollisionModel:
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
        self._mechanism = mechanism
        self._bodies: dict[int, tuple[Shape, RigidBody]] = {}
        self._pairs: list[Pair] = []
        self._functions: dict[Hashable, RecordedFunction] = {}
        self._phases: Phases | None = None
        self._made_for: tuple[int, ...] = ()

    # --- what it holds ------------------------------------------------------------------------------------------------

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism whose bodies carry the shapes."""
        return self._mechanism

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes in the order they were added."""
        return tuple(shape for shape, _ in self._bodies.values())

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The watched pairs in the order they were added."""
        return tuple(self._pairs)

    def body(self, shape: Shape) -> RigidBody:
        """Return the body that carries `shape`; raise ArgumentError for a shape that was not added."""
        return self._carrier(shape, "shape")

    def add(self, body: RigidBody | str, shape: S) -> S:
        """Fix `shape` to `body`, whose frames must include the shape's; return the shape.

        Raises FrameMismatchError for a frame of another body, UnknownNameError, ArgumentError for a shape added before.
        """
        require_kind(shape, Capsule, Sphere, Box, HalfSpace, operation="add", argument="shape")
        owner = self._mechanism.body(body)
        if not owner.has_frame(shape.frame):
            raise FrameMismatchError(
                f"add: the shape is in frame '{shape.frame.name}', which is not fixed to body '{owner.name}'; "
                f"add the frame to the body first: body.add_frame(...)",
                operation="add",
                argument="shape",
            )
        if id(shape) in self._bodies:
            raise ArgumentError("add: this shape was added before", argument="shape", value=shape)
        self._bodies[id(shape)] = (shape, owner)
        self._forget()
        return shape

    def add_pair(self, a: Shape, b: Shape) -> None:
        """Watch the distance of two shapes of different bodies.

        Raises ArgumentError for shapes that were not added, of one body, or of two half-spaces.
        """
        body_a, body_b = self._carrier(a, "a"), self._carrier(b, "b")
        if body_a is body_b:
            raise ArgumentError(
                f"add_pair: both shapes are fixed to body '{body_a.name}', their distance never changes",
                argument="b",
                value=b,
            )
        if isinstance(a, HalfSpace) and isinstance(b, HalfSpace):
            raise ArgumentError("add_pair: two half-spaces have no distance", argument="b", value=b)
        self._pairs.append(Pair(a, b, body_a, body_b))
        self._forget()

    def add_all_pairs(self, *, neighbours: bool = False) -> None:
        """Watch all pairs of shapes of different bodies that are not watched yet.

        Bodies that a joint connects usually overlap there: their pairs are left out, unless `neighbours` are wanted.

        >>> import rbd
        >>> _, model = rbd.robots.hand()
        >>> model.add_all_pairs()
        >>> len(model.pairs)
        106
        """
        neighbours, joints = flag(neighbours, "neighbours"), self._mechanism.joints
        connected = {
            frozenset((self._mechanism.predecessor(j).name, self._mechanism.successor(j).name)) for j in joints
        }
        watched = {frozenset((id(pair.a), id(pair.b))) for pair in self._pairs}
        for (a, body_a), (b, body_b) in combinations(self._bodies.values(), 2):
            planes = isinstance(a, HalfSpace) and isinstance(b, HalfSpace)
            apart = neighbours or frozenset((body_a.name, body_b.name)) not in connected
            if body_a is not body_b and apart and not planes and frozenset((id(a), id(b))) not in watched:
                self.add_pair(a, b)

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
            return cast("Array", state.pack(rows_of_pairs.tolist(), "contact jacobian", rows_of_pairs.shape, out))
        if isinstance(state, MechanismState):
            return _only(self._recorded("jacobian")(state.q, state.v, out=out))
        rows = [distance_and_row(state, pair)[1] for pair in self._pairs]
        packed: Array = state.pack(rows, "contact jacobian", (len(self._pairs), state.layout.nv), out)
        return packed

    def bias(self, state: State[Any], *, out: Array | None = None) -> Array:
        """Return b with d'' = J vd + b, exactly: what the material points do, and the witnesses' sliding, (pairs,)."""
        self.require(state)
        if isinstance(state, MechanismState):
            return _only(self._recorded("bias")(state.q, state.v, out=out))
        biases = [second_order(state, pair) for pair in self._pairs]
        packed: Array = state.pack(biases, "contact bias", (len(self._pairs),), out)
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
        return self.function(name, partial(BODIES[name], self._pairs), inputs)

    def function(
        self, key: Hashable, body: Callable[..., object], inputs: Mapping[str, InputShape]
    ) -> RecordedFunction:
        """Return `body(state, **inputs)`, recorded, for the mechanism as it is now; `key` is what it is known by."""
        now = (self._mechanism.structure_version, self._mechanism.parameter_version)
        if now != self._made_for:
            self._functions.clear()
            self._made_for = now
        known = self._functions.get(key)
        if known is None:
            known = self._functions[key] = record(body, self._mechanism, **inputs)
        return known

    def derivative(self, function: RecordedFunction, of: str, wrt: str) -> RecordedFunction:
        """Return the derivative of an output of one of the model's functions by an input, along velocities for q."""
        require_kind(function, RecordedFunction, operation="derivative", argument="function")
        key = ("derivative", function, of, wrt)
        try:
            known = self._functions.get(key)
        except TypeError:  # a name that cannot be looked up is none, which the function itself says
            return function.derivative(of, wrt)
        if known is None:
            known = self._functions[key] = function.derivative(of, wrt)
        return known

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
        state.require_current()

    def _forget(self) -> None:
        self._functions.clear()
        self._phases = None

    def _phased(self, state: State[Any]) -> Phases:
        if not isinstance(state, MechanismState):
            raise ArgumentError("pairs are chosen for live states alone", argument="state", value=state)
        if self._phases is None:
            record = partial(self.function, inputs={})
            self._phases = Phases(self._mechanism, tuple(self._bodies.values()), self._pairs, record)
        return self._phases

    def _carrier(self, shape: Shape, argument: str) -> RigidBody:
        found = self._bodies.get(id(shape))
        if found is None:
            message = f"{argument} is {described(shape)}, which is no shape of this model; add it first"
            raise ArgumentError(message, argument=argument, value=shape, allowed="a shape that was added")
        return found[1]


def _only(result: Result) -> Array:
    return result if isinstance(result, np.ndarray) else result[0]
