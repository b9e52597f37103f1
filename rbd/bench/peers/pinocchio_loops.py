"""Pinocchio on mechanisms with revolute loop joints, called from Python.

A revolute loop joint of a planar linkage is a point constraint of three rows in Pinocchio. In rbd it has five rows, of
which three are zero by structure. Both constraints allow the same motion.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rbd.bench.contender import Contender, calls
from rbd.bench.peers.pinocchio import model_of
from rbd.bench.tree import Tree, tree_of
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array

_PROXIMAL = 1e-12, 1e-10, 10
"""Accuracy, regularisation and maximum iterations of the solver, for results as exact as the other contenders'."""


def constrained_contender(mechanism: Mechanism, rows: list[tuple[Array, ...]]) -> Contender | None:
    """Return Pinocchio's constrained dynamics of linkages with revolute joints; None for other joints."""
    tree = _tree_without_loops(mechanism)
    if tree is None or any(link.kind == "floating" for link in tree.links):
        return None
    pin: Any = import_module("pinocchio")
    model = model_of(pin, tree)
    data, order = model.createData(), [link.v.start for link in tree.links]
    models, datas = _constraints(pin, model, tree, mechanism)
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(*_PROXIMAL)
    arguments = [(model, data, *(x[order] for x in row), models, datas, settings) for row in rows]

    def value(k: int) -> Array:
        theirs: Array = pin.constraintDynamics(*arguments[k])
        ordered = theirs.copy()
        ordered[order] = theirs
        return ordered

    return Contender("Pinocchio", calls(pin.constraintDynamics, arguments), len(arguments), value)


def _tree_without_loops(mechanism: Mechanism) -> Tree | None:
    """Return the spanning tree; None for other joints than a `Tree` has."""
    bare, _ = mechanism.copy()
    for joint in bare.loop_joints:
        bare.remove_joint(joint)
    return tree_of(bare)


def _constraints(pin: Any, model: Any, tree: Tree, mechanism: Mechanism) -> tuple[Any, Any]:
    """Return the constraint model of each loop joint, and its data."""
    index = {link.body: k + 1 for k, link in enumerate(tree.links)} | {0: 0}
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for joint in mechanism.loop_joints:
        before = mechanism.predecessor(joint), mechanism.placement(joint)
        ends = (before, (mechanism.successor(joint), mechanism.successor_placement(joint)))
        places: list[Any] = []
        for body, tf in ends:
            places += [index[mechanism.bodies.index(body)], pin.SE3(tf.rotation, tf.translation)]
        constraint = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *places, pin.ReferenceFrame.LOCAL)
        models.append(constraint)
        datas.append(constraint.createData())
    return models, datas
