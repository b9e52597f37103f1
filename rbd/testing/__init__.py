"""For tests of your own: the contract every joint type keeps, and random mechanisms.

Needs NumPy only; hypothesis strategies are imported when they are asked for.
"""

from __future__ import annotations

from rbd.testing.joint_contract import check_joint_type
from rbd.testing.random_mechanisms import random_chain, random_floating_tree, random_mechanism, random_tree

__all__ = ["check_joint_type", "random_chain", "random_floating_tree", "random_mechanism", "random_tree"]
