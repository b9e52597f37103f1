"""Other engines, where they are installed. Only what stands in this folder imports them.

None of them has types that tell anything; each module keeps its engine behind one variable of type Any.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from rbd.bench.contacts import Hand
from rbd.bench.contender import Contender, Peer, Quantity
from rbd.bench.ours import Ours
from rbd.bench.tree import tree_of

PACKAGES = {"Pinocchio": "pinocchio", "MuJoCo": "mujoco", "CasADi": "casadi"}


def installed(*, quick: bool) -> list[str]:
    """Return the names of the engines that can be measured; a quick run leaves out those that call a C compiler."""
    return [name for name, package in PACKAGES.items() if find_spec(package) and not (quick and name == "CasADi")]


def constrained(ours: Ours) -> Contender | None:
    """Return Pinocchio's dynamics of a mechanism with loops; None when it does not have such joints."""
    from rbd.bench.peers.pinocchio_loops import constrained_contender

    return constrained_contender(ours.mechanism, ours.samples.rows(Quantity.FORWARD))


def contacts(given: Hand) -> tuple[Contender, Contender] | tuple[None, None]:
    """Return distances with rows, and the loop of the hand, by Pinocchio, coal and quadprog where all are installed."""
    if not all(map(find_spec, ("pinocchio", "coal", "quadprog"))):
        return None, None
    from rbd.bench.peers.coal import contact_peers

    return contact_peers(given)


def load(name: str, ours: Ours) -> Peer | None:
    """Return an engine with a robot loaded; None when it cannot have this robot."""
    from rbd.bench.peers.casadi import casadi_peer

    if name == "CasADi":
        return casadi_peer(ours)
    tree = tree_of(ours.mechanism)
    if tree is None:
        return None
    from rbd.bench.peers.mujoco import mujoco_peer
    from rbd.bench.peers.pinocchio import pinocchio_peer

    makers: dict[str, Callable[..., Peer | None]] = {"Pinocchio": pinocchio_peer, "MuJoCo": mujoco_peer}
    return makers[name](tree, ours.samples)
