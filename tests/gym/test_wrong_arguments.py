"""Wrong arguments of environments raise errors of rbd."""

# pyright: basic
from __future__ import annotations

from typing import Any

import attrs
import pytest

from rbd.errors import RbdError
from rbd.gym import VectorEnvironment

from ..arguments.making import World
from ..arguments.of_environments import ENVIRONMENTS, task
from ..arguments.wrong import complaints


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_wrong_kinds(name: str) -> None:
    found = list(complaints(name, ENVIRONMENTS[name], World))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["dt", "steps", "mechanism", "collision_model", "friction", "start"])
def test_wrong_parts_of_tasks_are_named(name: str) -> None:
    wrong: Any = {"start": 5}.get(name, "x")
    with pytest.raises(RbdError, match=name):
        VectorEnvironment(attrs.evolve(task(), **{name: wrong}))
