"""Helpers for tests: checks of joint types, and random mechanisms.

Requires NumPy only. `rbd.testing.strategies` requires hypothesis.
"""

from __future__ import annotations

from rbd.testing.joint_contract import check_joint_type
from rbd.testing.random_mechanisms import random_chain, random_floating_tree, random_mechanism, random_tree

__all__ = ["check_joint_type", "random_chain", "random_floating_tree", "random_mechanism", "random_tree"]
