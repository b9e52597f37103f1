"""A valid call of every public function, method and settable attribute, by group."""

from __future__ import annotations

from typing import Final

from . import (
    of_algorithms,
    of_commands,
    of_contact,
    of_members,
    of_methods,
    of_motion,
    of_options,
    of_robots,
    of_values,
    of_worlds,
)
from .making import Probe, World, world

__all__ = ["GROUPS", "Probe", "World", "world"]

GROUPS: Final[dict[str, dict[str, Probe]]] = {
    "values": of_values.VALUES,
    "methods of values": of_values.METHODS_OF_VALUES,
    "joints": of_robots.JOINTS,
    "mechanisms": of_robots.MECHANISMS,
    "states": of_robots.STATES,
    "algorithms": of_algorithms.ALGORITHMS,
    "interpreted": of_algorithms.INTERPRETED,
    "compiled": of_algorithms.COMPILED,
    "simulation": of_motion.SIMULATION,
    "pieces": of_motion.PIECES,
    "scalars": of_motion.SCALARS,
    "robots": of_motion.ROBOTS,
    "files": of_motion.FILES,
    "rational": of_motion.RATIONAL,
    "contact": of_contact.CONTACT,
    "worlds": of_worlds.WORLDS,
    "export": of_worlds.EXPORT,
    "plots": of_worlds.PLOTS,
    "commands": of_commands.COMMANDS,
    "more methods": of_methods.METHODS,
    "members": of_members.MEMBERS,
    "options": of_options.OPTIONS,
}
