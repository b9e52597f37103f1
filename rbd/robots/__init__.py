"""Robot models of rbd, for examples and tests.

Each model is made anew by every call; SI units, z up. `hand` and `quadruped_collision_model` make collision models,
`quadruped_configuration` a stance.

>>> import rbd.robots
>>> rbd.robots.arm7().nv
7
"""

from __future__ import annotations

from rbd.robots.arm7 import arm7
from rbd.robots.chain import chain
from rbd.robots.double_pendulum import double_pendulum
from rbd.robots.four_bar import four_bar, four_bar_configuration
from rbd.robots.hand import hand
from rbd.robots.humanoid import humanoid
from rbd.robots.quadruped import quadruped, quadruped_collision_model, quadruped_configuration

__all__ = [
    "arm7",
    "chain",
    "double_pendulum",
    "four_bar",
    "four_bar_configuration",
    "hand",
    "humanoid",
    "quadruped",
    "quadruped_collision_model",
    "quadruped_configuration",
]
