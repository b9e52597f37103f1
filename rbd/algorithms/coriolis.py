"""The Coriolis matrix: the factorisation C of the velocity terms for which dM/dt - 2 C is skew.

Echeandia and Wensing (2021), "Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body
systems", with rates of q-dependent motion subspaces.
"""

from __future__ import annotations

from typing import TypeVar

from rbd.scalars import Matrix, Scalar
from rbd.spatial import GeometricJacobian
from rbd.spatial.coriolis import CoriolisOperator, as_wrenches, carried, summed, total
from rbd.spatial.pairing import pair
from rbd.state import ArrayOf, Link, State, StateView, kernel, passes
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path

A = TypeVar("A", bound=ArrayOf)


@kernel
def coriolis_matrix_kernel(state: StateView) -> Matrix:
    """Return C: composite Coriolis operators act on each joint's axes and their rates, and are felt by its carriers."""
    rows: list[list[Scalar]] = [[0] * state.layout.nv for _ in range(state.layout.nv)]
    operators = _composite_operators(state)
    rates = _subspace_rates(state)
    for link in state.links:
        _add_columns(state, link, operators[link.index], rates, rows)
    return tuple(tuple(row) for row in rows)


def _composite_operators(state: StateView) -> list[CoriolisOperator]:
    """Return, per body, the Coriolis operator of everything from it outwards, in the body frame."""
    pairs = zip(passes.body_inertias(state), passes.body_twists(state), strict=True)
    operators = [CoriolisOperator.of_body(inertia, twist) for inertia, twist in pairs]
    for link, tf in reversed(list(zip(state.links, passes.to_parent(state), strict=True))):
        operators[link.parent] = operators[link.parent] + operators[link.index].transformed(tf)
    return operators


def _subspace_rates(state: StateView) -> tuple[GeometricJacobian, ...]:
    """Return, per link, the whole rate of its motion subspace: carried by the body, plus its own change; body frame."""
    twists, own = passes.body_twists(state), passes.subspace_rates(state)
    rows = zip(state.links, passes.subspaces(state), own, strict=True)
    return tuple(summed(carried(subspace, twists[link.index]), rate) for link, subspace, rate in rows)


def _add_columns(
    state: StateView,
    link: Link,
    operator: CoriolisOperator,
    rates: tuple[GeometricJacobian, ...],
    rows: list[list[Scalar]],
) -> None:
    """Fill the block where `link` meets itself, and the two where it meets each joint that carries it."""
    subspaces, steps = passes.subspaces(state), passes.to_parent(state)
    subspace, composite = subspaces[link.index - 1], passes.composite_inertias(state)[link.index]
    bent = total(operator.wrenches(subspace), as_wrenches(composite @ rates[link.index - 1]))
    momenta, turned = composite @ subspace, operator.transposed_wrenches(subspace)
    for carrier in passes.ancestry(state, link):
        own = subspaces[carrier.index - 1]
        _write(rows, carrier.v.start, link.v.start, pair(own, bent))
        if carrier is not link:
            other = _summed_blocks(pair(rates[carrier.index - 1], momenta), pair(own, turned))
            _write(rows, link.v.start, carrier.v.start, tuple(zip(*other, strict=True)))
        step = steps[carrier.index - 1]
        bent, momenta, turned = bent.transformed(step), momenta.transformed(step), turned.transformed(step)


def _summed_blocks(a: Matrix, b: Matrix) -> Matrix:
    return tuple(tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(a, b, strict=True))


def _write(rows: list[list[Scalar]], i: int, j: int, block: Matrix) -> None:
    for offset, entries in enumerate(block):
        rows[i + offset][j : j + len(entries)] = entries


@fast_path(out=True)
def coriolis_matrix(state: State[A], *, out: A | None = None) -> Call[A]:
    """Return C(q, v), (nv, nv): C v are the velocity terms of the bias, and dM/dt - 2 C is skew-symmetric.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> terms = rbd.dynamics_bias(state) - rbd.gravity_torques(state)
    >>> bool(np.allclose(rbd.coriolis_matrix(state) @ state.v, terms))
    True
    """
    nv = state.layout.nv
    return KernelCall(coriolis_matrix_kernel, (), {"Coriolis matrix": (nv, nv)}, out=out)
