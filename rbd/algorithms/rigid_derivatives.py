"""Derivatives of the torques that the motion of rigid bodies takes: the recursion all derivatives are made of.

Singh, Russell and Wensing (2022), "Efficient analytical derivatives of rigid-body dynamics using spatial vector
algebra", in body frames, with motion subspaces that may depend on position. Neither armature nor passive torques nor
external wrenches are in here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias, final

import attrs

from rbd.algorithms.newton_euler import body_loads, joint_wrenches
from rbd.algorithms.variations import JointVariation, Variations, variations
from rbd.scalars import Matrix, Scalar, Vector
from rbd.spatial import GeometricJacobian, MomentumMatrix, Wrench, WrenchMatrix
from rbd.spatial.coriolis import as_wrenches, total
from rbd.spatial.pairing import pair
from rbd.spatial.platform import moved_wrench
from rbd.state import Link, StateView, passes

Rows: TypeAlias = list[list[Scalar]]


@final
@attrs.frozen(eq=False)
class TorqueDerivatives:
    """Square matrices under construction: derivatives of torques by position (along velocities), velocity, vd."""

    by_position: Rows
    by_velocity: Rows
    by_acceleration: Rows

    @classmethod
    def zero(cls, size: int) -> TorqueDerivatives:
        """Return no derivatives."""
        return cls(zero_rows(size), zero_rows(size), zero_rows(size))


def zero_rows(size: int) -> Rows:
    """Return a square matrix of zeros to be filled."""
    return [[0] * size for _ in range(size)]


def rigid_body_derivatives(state: StateView, vd: Vector | None, *, gravity: bool = True) -> TorqueDerivatives:
    """Return the derivatives of the torques a motion with accelerations `vd` (None: zero) takes."""
    return derivatives_of(state, variations(state, vd, gravity=gravity))


def derivatives_of(state: StateView, varied: Variations) -> TorqueDerivatives:
    """Return the derivatives of the torques of a motion whose variations are known."""
    wrenches = joint_wrenches(state, body_loads(state, varied.moving, None))
    result = TorqueDerivatives.zero(state.layout.nv)
    for link in state.links:
        if link.joint.nv:
            _add_link(state, link, varied, wrenches[link.index], result)
    return result


@final
@attrs.frozen(eq=False)
class Felt:
    """What directions of one joint add to the wrench that the bodies from it outwards take, in a frame on the way in.

    The first three are its columns in the results of all joints that carry it. The last one makes its rows, with
    `momenta`: torques it feels when a joint that carries it moves.
    """

    moved: WrenchMatrix
    sped: WrenchMatrix
    momenta: MomentumMatrix
    turned: WrenchMatrix


def _add_link(state: StateView, link: Link, varied: Variations, wrench: Wrench, result: TorqueDerivatives) -> None:
    """Fill the blocks where `link` meets itself and every joint that carries it."""
    subspaces, steps = passes.subspaces(state), passes.to_parent(state)
    subspace, variation = subspaces[link.index - 1], varied.joints[link.index - 1]
    felt = _felt(state, link, varied)
    _add_own(link, subspace, variation, felt, wrench, result)
    felt = attrs.evolve(felt, moved=total(felt.moved, moved_wrench(subspace, wrench)))
    chain = passes.ancestry(state, link)
    for inner, carrier in pairwise(chain):
        step = steps[inner.index - 1]
        felt = Felt(
            felt.moved.transformed(step),
            felt.sped.transformed(step),
            felt.momenta.transformed(step),
            felt.turned.transformed(step),
        )
        _add_carrier(link, carrier, subspaces[carrier.index - 1], varied.joints[carrier.index - 1], felt, result)


def _felt(state: StateView, link: Link, varied: Variations) -> Felt:
    """Return what the directions of `link` make felt, in its body frame, its wrench not yet moved along."""
    subspace, variation = passes.subspaces(state)[link.index - 1], varied.joints[link.index - 1]
    composite, operator = passes.composite_inertias(state)[link.index], varied.operators[link.index]
    return Felt(
        total(operator.wrenches(variation.drift), as_wrenches(composite @ variation.bend)),
        total(operator.wrenches(subspace), as_wrenches(composite @ variation.whirl)),
        composite @ subspace,
        operator.transposed_wrenches(subspace),
    )


def _add_own(
    link: Link,
    subspace: GeometricJacobian,
    variation: JointVariation,
    felt: Felt,
    wrench: Wrench,
    result: TorqueDerivatives,
) -> None:
    own, at = pair(subspace, felt.moved), link.v.start
    if variation.turning:
        turned = tuple(zip(*(each.torque_components(wrench) for each in variation.turning), strict=True))
        own = _sum(own, turned)
    _write(result.by_position, at, at, own)
    _write(result.by_velocity, at, at, pair(subspace, felt.sped))
    _write(result.by_acceleration, at, at, _mirrored(pair(subspace, felt.momenta)))


def _add_carrier(
    link: Link,
    carrier: Link,
    subspace: GeometricJacobian,
    variation: JointVariation,
    felt: Felt,
    result: TorqueDerivatives,
) -> None:
    """Fill the blocks of `link` with one joint that carries it; `felt` in the frame of that joint's body."""
    inner, outer = link.v.start, carrier.v.start
    _write(result.by_position, outer, inner, pair(subspace, felt.moved))
    _write(result.by_velocity, outer, inner, pair(subspace, felt.sped))
    _write(result.by_acceleration, outer, inner, masses := pair(subspace, felt.momenta))
    _write(result.by_acceleration, inner, outer, _transposed(masses))
    drift = _sum(pair(variation.drift, felt.turned), pair(variation.bend, felt.momenta))
    whirl = _sum(pair(subspace, felt.turned), pair(variation.whirl, felt.momenta))
    _write(result.by_position, inner, outer, _transposed(drift))
    _write(result.by_velocity, inner, outer, _transposed(whirl))


def sum_of(a: Rows, b: Rows) -> Matrix:
    """Return the sum of two matrices."""
    return tuple(tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(a, b, strict=True))


def fixed(rows: Rows) -> Matrix:
    """Return a finished matrix."""
    return tuple(tuple(row) for row in rows)


def _mirrored(block: Matrix) -> Matrix:
    """Return a symmetric block with its upper triangle in both halves."""
    size = range(len(block))
    return tuple(tuple(block[min(i, j)][max(i, j)] for j in size) for i in size)


def _transposed(block: Matrix) -> Matrix:
    return tuple(zip(*block, strict=True))


def _sum(a: Matrix, b: Matrix) -> Matrix:
    return tuple(tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(a, b, strict=True))


def _write(rows: Rows, i: int, j: int, block: Matrix) -> None:
    for offset, entries in enumerate(block):
        rows[i + offset][j : j + len(entries)] = entries
