"""Helpers for tests: checks of joint types, and random mechanisms.

joint_contract.py      check_joint_type: all checks of a joint type
joint_interface.py     its checks of lengths, shapes, frames, equality and scalars
joint_checks.py        its numerical checks, against derivatives of the transform
joint_case.py          cases of these checks: a joint type at a random configuration
comparison.py          comparisons of numbers, and derivatives
random_mechanisms.py   random chains, trees and mechanisms with loops
strategies.py          strategies of hypothesis

All but the last require NumPy only.
"""

from __future__ import annotations

from rbd.testing.joint_contract import check_joint_type
from rbd.testing.random_mechanisms import random_chain, random_floating_tree, random_mechanism, random_tree

__all__ = ["check_joint_type", "random_chain", "random_floating_tree", "random_mechanism", "random_tree"]
