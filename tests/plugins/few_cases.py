"""A part of the parametrised cases of each test, at most RBD_CASES of them; with `-p tests.plugins.few_cases`.

They are spread over all. Of tests of what is refused all run: each case is another path. For runs that ask what is
reached, not whether it is right.
"""

from __future__ import annotations

import os
from collections import defaultdict

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect all but some cases of each test."""
    count = int(os.environ["RBD_CASES"])
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    steps = {name: 1 if "refused" in name else max(1, -(-len(group) // count)) for name, group in cases.items()}
    kept = {id(each) for name, group in cases.items() for each in group[:: steps[name]]}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]
