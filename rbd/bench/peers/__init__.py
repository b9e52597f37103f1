"""Other engines, if they are installed. Only the modules of this package import them.

They have no useful type annotations; each module holds its engine in one variable of type Any.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from rbd.bench.contacts import HandCase
from rbd.bench.contender import Contender, Peer, Quantity
from rbd.bench.legged import LeggedCase
from rbd.bench.queries import Queries, Query
from rbd.bench.rbd_engine import RbdEngine
from rbd.bench.tree import tree_of
from rbd.bench.values import Operation, Poses

PACKAGES = {"Pinocchio": "pinocchio", "MuJoCo": "mujoco", "CasADi": "casadi"}


def installed(*, quick: bool) -> list[str]:
    """Return the names of the installed engines; a quick run omits those that call a C compiler."""
    return [name for name, package in PACKAGES.items() if find_spec(package) and not (quick and name == "CasADi")]


def loop_dynamics(engine: RbdEngine) -> Contender | None:
    """Return Pinocchio's dynamics of a mechanism with loops; None if it does not have such joints."""
    from rbd.bench.peers.pinocchio_loops import constrained_contender

    return constrained_contender(engine.mechanism, engine.samples.rows(Quantity.FORWARD))


def frame_query(queries: Queries, query: Query) -> Contender | None:
    """Return Pinocchio's answer to a frame query; None if it does not support the robot."""
    tree = tree_of(queries.mechanism)
    if tree is None:
        return None
    from rbd.bench.peers.pinocchio_queries import query_contender

    return query_contender(tree, queries, query)


def pose_operation(poses: Poses, operation: Operation) -> Contender:
    """Return Pinocchio's operation on values."""
    from rbd.bench.peers.pinocchio_values import value_contender

    return value_contender(poses, operation)


def hand_contacts(case: HandCase) -> tuple[Contender, Contender] | tuple[None, None]:
    """Return distances and the loop of the hand by Pinocchio, coal and quadprog, if all are installed."""
    if not all(map(find_spec, ("pinocchio", "coal", "quadprog"))):
        return None, None
    from rbd.bench.peers.coal import contact_peers

    return contact_peers(case)


def legged_rollout(case: LeggedCase, threads: int) -> Contender:
    """Return MuJoCo's rollout of robots on the ground."""
    from rbd.bench.peers.mujoco_legged import rollout

    return rollout(case, threads)


def legged_single(case: LeggedCase) -> Contender:
    """Return MuJoCo's steps of one robot on the ground, with its control in Python."""
    from rbd.bench.peers.mujoco_legged import single

    return single(case)


def load_peer(name: str, engine: RbdEngine) -> Peer | None:
    """Return an engine with a robot loaded; None if it does not support the robot."""
    from rbd.bench.peers.casadi import casadi_peer

    if name == "CasADi":
        return casadi_peer(engine)
    tree = tree_of(engine.mechanism)
    if tree is None:
        return None
    from rbd.bench.peers.mujoco import mujoco_peer
    from rbd.bench.peers.pinocchio import pinocchio_peer

    makers: dict[str, Callable[..., Peer | None]] = {"Pinocchio": pinocchio_peer, "MuJoCo": mujoco_peer}
    return makers[name](tree, engine.samples)
