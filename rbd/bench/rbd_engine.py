"""Contenders of rbd: kernels, calls from Python, batches, live states."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, final

import attrs
import numpy as np

import rbd
from rbd.algorithms.results.dynamics_result import DynamicsResult
from rbd.array_functions.record import load_or_record_spec
from rbd.bench.contender import RBD, Contender, Quantity, call_until_builtin, calls, repeated
from rbd.bench.native_repeat import native_repeat
from rbd.bench.samples import Samples
from rbd.compiled.specs import DERIVATIVE_SPECS, SPECS
from rbd.mechanism import Mechanism
from rbd.native import available, compile_program
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.state import MechanismState

KERNEL, LIVE, ROW_ORDER = "rbd kernel", "rbd state", "rbd, row order"
METHODS: Final = {
    Quantity.POSES: "forward_kinematics",
    Quantity.INVERSE: "inverse_dynamics",
    Quantity.MASS: "mass_matrix",
    Quantity.FORWARD: "forward_dynamics",
    Quantity.INVERSE_DERIVATIVES: "inverse_dynamics_derivatives",
    Quantity.FORWARD_DERIVATIVES: "forward_dynamics_derivatives",
}
"""Methods of a compiled robot, by quantity."""


@final
class RbdEngine:
    """One robot in rbd."""

    def __init__(self, mechanism: Mechanism, samples: Samples) -> None:
        """Set the robot and the states."""
        self.mechanism = mechanism
        self.samples = samples
        self.robot = rbd.compile(mechanism)

    def kernel(self, quantity: Quantity) -> Contender | None:
        """Return machine code in a native loop; None if there is none."""
        if not available():
            return None
        from rbd.native.compiled_program import Entry  # loads LLVM

        program = self.program(quantity)
        native, rows = compile_program(program), self.samples.rows(quantity)
        outputs = [np.empty(port.shape) for port in program.outputs]
        loop = native_repeat(native.address(Entry.IN_PLACE), rows, outputs)

        def value(k: int) -> Array:
            native.run(list(rows[k]), outputs)
            return _flat(tuple(outputs))

        return Contender(KERNEL, loop, len(rows), value)

    def single(self, quantity: Quantity) -> Contender:
        """Return calls of the compiled robot from Python, which return new arrays."""
        rows = self.samples.rows(quantity)
        call_until_builtin(self.method(quantity), rows)

        def value(k: int) -> Array:
            return _flat(self.method(quantity)(*rows[k]))

        return Contender(RBD, calls(self.method(quantity), rows), len(rows), value)

    def small_batch(self, quantity: Quantity, count: int) -> Contender:
        """Return a call for a few states, without Python in between, into a new array."""
        inputs = self.samples.repeated(count).arguments(quantity)
        call_until_builtin(self.method(quantity), [inputs])
        run = functools.partial(self.method(quantity), *inputs)
        out: Array = run()
        return Contender(RBD, repeated(run), count, lambda k: out[k])

    def both_orders(self, quantity: Quantity, count: int) -> list[Contender]:
        """Return calls for many states, into existing arrays: in column order, and in row order."""
        by_rows = self.batch(quantity, count, into=True)
        return [self.batch(quantity, count, into=True, columns=True), attrs.evolve(by_rows, name=ROW_ORDER)]

    def batch(
        self, quantity: Quantity, count: int, threads: int = 1, *, into: bool = False, columns: bool = False
    ) -> Contender:
        """Return a call for many states, into a new array or, with `into`, an existing one; perhaps in column order."""
        method, inputs = self.method(quantity), self.samples.repeated(count).arguments(quantity)
        if columns:
            inputs = tuple(map(np.asfortranarray, inputs))
        out = method(*inputs, threads=threads)
        if threads == 1:
            call_until_builtin(method, [inputs])
        if into:
            run = functools.partial(method, *inputs, out=out, threads=threads)
        else:
            run = functools.partial(method, *inputs, threads=threads)
        return Contender(RBD, repeated(run), count, lambda k: out[k])

    def live_state(self) -> Contender:
        """Set q and v of a live state, then compute the mass matrix and the dynamics."""
        state, result = MechanismState(self.mechanism), DynamicsResult(self.mechanism)
        rows = self.samples.rows(Quantity.FORWARD)

        def solve(q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
            state.set_configuration(q)
            state.set_velocity(v)
            matrix = rbd.mass_matrix(state)
            return matrix, rbd.dynamics(result, state, tau).vd

        def value(k: int) -> Array:
            return np.concatenate([x.reshape(-1) for x in solve(*rows[k])])

        return Contender(LIVE, calls(solve, rows), len(rows), value)

    def loop_dynamics(self) -> Contender:
        """Compute the dynamics with loops on live states: M, c, K, k and multipliers."""
        samples = self.samples
        cases = [
            (DynamicsResult(self.mechanism), MechanismState(self.mechanism, q, v), tau)
            for q, v, tau in zip(samples.q, samples.v, samples.tau.copy(), strict=True)
        ]
        return Contender(LIVE, calls(rbd.dynamics, cases), len(cases), lambda k: rbd.dynamics(*cases[k]).vd.copy())

    def loop_dynamics_after_set(self) -> Contender:
        """Set q and v of a live state, then compute the dynamics with loops."""
        state, result = MechanismState(self.mechanism), DynamicsResult(self.mechanism)
        rows = self.samples.rows(Quantity.FORWARD)

        def solve(q: Array, v: Array, tau: Array) -> Array:
            state.set_configuration(q)
            state.set_velocity(v)
            return rbd.dynamics(result, state, tau).vd

        return Contender(LIVE, calls(solve, rows), len(rows), lambda k: solve(*rows[k]).copy())

    def method(self, quantity: Quantity) -> Callable[..., Any]:
        """Return the compiled robot's method."""
        method: Callable[..., Any] = getattr(self.robot, METHODS[quantity])
        return method

    def program(self, quantity: Quantity) -> Program:
        """Record a quantity as a compiled robot does."""
        return program(self.mechanism, quantity)


def _flat(result: Array | tuple[Array, ...]) -> Array:
    """Return a copy of an array, or the concatenation of several."""
    if isinstance(result, np.ndarray):
        return result.copy()
    return result[0].copy() if len(result) == 1 else np.concatenate([x.reshape(-1) for x in result])


def program(mechanism: Mechanism, quantity: Quantity) -> Program:
    """Record a quantity for a mechanism."""
    name = METHODS[quantity]
    if quantity.is_derivative:
        return load_or_record_spec(DERIVATIVE_SPECS[name, "tangent"], mechanism, f"{name} tangent").program
    return load_or_record_spec(SPECS[name], mechanism, name).program
