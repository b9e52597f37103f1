"""Environments of gymnasium on many worlds (extra `gym`).

    task.py          `Task`: a robot, a control, and what counts as success
    acrobot.py       swing-up of an acrobot
    quadruped.py     a quadruped that stands or walks
    episodes.py      the worlds of a task: starts, observations and rewards of episodes
    environments.py  the environments, which need gymnasium

Importing this package registers "rbd/AcrobotSwingUp-v0", "rbd/QuadrupedStand-v0" and "rbd/QuadrupedWalk-v0" for
`gymnasium.make` and `gymnasium.make_vec`. Raises MissingPackageError without gymnasium.
"""

from __future__ import annotations

from rbd.extras import requires_extra
from rbd.gym.acrobot import acrobot_swing_up
from rbd.gym.quadruped import quadruped_stand, quadruped_walk
from rbd.gym.task import Task

with requires_extra("environments"):
    from rbd.gym.environments import Environment, VectorEnvironment, register

register()

__all__ = ["Environment", "Task", "VectorEnvironment", "acrobot_swing_up", "quadruped_stand", "quadruped_walk"]
