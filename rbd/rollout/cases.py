"""Cases of a Monte Carlo study: where each one starts, with random numbers of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import described, whole_number
from rbd.array_functions.arguments import as_numbers
from rbd.errors import ArgumentError, ShapeError
from rbd.mechanism import Mechanism
from rbd.program.ports import Port
from rbd.rollout.batch import zero_start
from rbd.rollout.rows import array_of, finite, require_possible_rows, require_rotations, scaled_coordinates
from rbd.rollout.settings import CONTACT_FRICTION
from rbd.scalar_states.parameter_arrays import PARAMETER_NAMES
from rbd.scalars.arrays import Array

Start: TypeAlias = Mapping[str, ArrayLike]
"""Start of a case: "q", "v", "action", and parameters, by name."""
Sampler: TypeAlias = Callable[[np.random.Generator], Start]
"""Draws the start of one case."""
InitialStates: TypeAlias = Start | Sequence[ArrayLike] | Sampler

_NAMES = ("q", "v", "action", CONTACT_FRICTION, *PARAMETER_NAMES)


@final
class Cases:
    """The starts of all cases, as rows of arrays; those of a sampler are drawn when they are asked for."""

    def __init__(self, initial_states: InitialStates, count: int | None, seed: int) -> None:
        """Check all but the shapes and values of arrays, which `CaseInputs` checks."""
        self.seed = whole_number(seed, "seed", 0)
        case_count = None if count is None else whole_number(count, "cases", 0)
        self._sampler: Sampler | None = None
        self._rows: dict[str, Array] = {}
        if callable(initial_states):
            self._sampler = initial_states
            if case_count is None:
                message = "cases must be the number of cases that initial_states draws"
                raise ArgumentError(message, argument="cases", value=count, allowed="a whole number")
            self.count = case_count
        else:
            self._rows = {name: as_numbers(value, name).copy() for name, value in _named(initial_states).items()}
            self.count = self._count_of_rows(case_count)
        names = self._drawn(0) if self._sampler else self._rows
        for name in names:
            _require_name(name)
        self.names = tuple(name for name in _NAMES if name in names)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names that are parameters."""
        return tuple(name for name in self.names if name not in ("q", "v", "action"))

    @property
    def are_drawn(self) -> bool:
        """Whether a sampler draws the starts."""
        return self._sampler is not None

    def starts(self, first: int, count: int) -> dict[str, Array]:
        """Return the starts of `count` cases from `first` on, unchecked."""
        if self._sampler is None:
            return {name: x[first : first + count] for name, x in self._rows.items()}
        drawn = [self._drawn(first + k) for k in range(count)]
        return {name: _stacked([each[name] for each in drawn], first, name) for name in self.names}

    def _drawn(self, case: int) -> dict[str, Array]:
        """Return the draw of the sampler for a case: with its own random numbers, in whatever order cases are run."""
        assert self._sampler is not None
        generator = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(case,)))
        drawn = {name: as_numbers(value, name).copy() for name, value in _named(self._sampler(generator)).items()}
        if case and set(drawn) != set(self.names):
            message = f"initial_states draws {_listed(drawn)} for case {case}, and {_listed(self.names)} for case 0"
            raise ArgumentError(message, argument="initial_states", value=tuple(drawn), allowed=self.names)
        return drawn

    def _count_of_rows(self, count: int | None) -> int:
        """Return the number of rows, which all arrays have."""
        lengths = {name: len(x) if x.ndim else -1 for name, x in self._rows.items()}
        rows = next(iter(lengths.values()), 0)
        for name, length in lengths.items():
            if length != rows or length < 0 or (count is not None and length != count):
                required = max(rows, 1) if count is None else count
                message = f"{name} of initial_states has {max(length, 0)} rows, needs {required}, one per case"
                raise ShapeError(message, argument=name, expected=required, actual=length)
        return rows


@final
class CaseInputs:
    """The starts of cases as inputs of a step of a mechanism, from zero configuration and velocity if not given."""

    def __init__(self, cases: Cases, ports: Iterable[Port], mechanism: Mechanism) -> None:
        """Check starts that are not drawn; raise ArgumentError for an action that the step does not take."""
        self.cases, self._scaled = cases, scaled_coordinates(mechanism)
        self._ports, self._zero = {port.name: port for port in ports}, zero_start(mechanism)
        if "action" in cases.names and "action" not in self._ports:
            message = "initial_states has an action, and the control takes none; record it with action=..., a shape"
            raise ArgumentError(message, argument="initial_states", value="action", allowed=tuple(self._ports))
        if not cases.are_drawn:
            self.rows(0, cases.count)

    def rows(self, first: int, count: int) -> dict[str, Array]:
        """Return the inputs of `count` cases from `first` on; q and v always."""
        starts = self.cases.starts(first, count)
        shapes = {name: (count, *self._ports[name].shape) for name in starts}
        rows = {name: finite(array_of(x, shapes[name], name), name) for name, x in starts.items()}
        require_possible_rows({name: x for name, x in rows.items() if name in self.cases.parameters}, count, first)
        if "q" in rows:
            require_rotations(self._scaled, rows["q"])
        return {name: np.broadcast_to(x, (count, *x.shape)) for name, x in self._zero.items()} | rows


def _named(start: Start | Sequence[ArrayLike]) -> Mapping[str, ArrayLike]:
    if isinstance(start, Mapping):
        return start
    if isinstance(start, (tuple, list)) and len(start) == 2:
        return dict(zip("qv", start, strict=True))
    allowed = "a mapping of q, v, action and parameters, a pair (q, v), or a function of a random generator"
    message = f"initial_states must be {allowed}, not {described(start)}"
    raise ArgumentError(message, argument="initial_states", value=start, allowed=allowed)


def _stacked(draws: Sequence[Array], first: int, name: str) -> Array:
    """Return the draws of cases from `first` on as rows; raise ShapeError unless they have one shape."""
    shape = draws[0].shape
    for k, draw in enumerate(draws):
        if draw.shape != shape:
            message = f"initial_states draws {name} of shape {draw.shape} for case {first + k}, and {shape} for {first}"
            raise ShapeError(message, argument=name, expected=shape, actual=draw.shape)
    return np.array(draws)


def _require_name(name: object) -> None:
    if name not in _NAMES:
        message = f"initial_states has no use for {name!r}; it may have {', '.join(_NAMES)}"
        raise ArgumentError(message, argument="initial_states", value=name, allowed=_NAMES)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
