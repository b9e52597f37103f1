"""Packages of extras: errors of functions that need them name what to install; the modules are found without them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rbd.errors import MissingPackageError, RbdError
from rbd.extras import EXTRA_OF_PACKAGE, requires_extra

PROJECT = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COME_ALONG = {
    "dask": "distributed",
    "mpl_toolkits": "matplotlib",
    "mpmath": "sympy",
    "PIL": "pillow",
    "collada": "pycollada",
    "imageio_ffmpeg": "imageio-ffmpeg",
}
"""Packages that are parts or requirements of others, or are called otherwise."""

BLOCKED = f"""
import importlib.abc, json, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(EXTRA_OF_PACKAGE)!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
import numpy as np, rbd
from rbd.errors import MissingPackageError

arm = rbd.robots.double_pendulum()
recorded = rbd.record(lambda state: state.q, arm)
hand, model = rbd.robots.hand()
calls = {{
    "plot": lambda: rbd.viz.plot_shapes(rbd.MechanismState(hand), model),
    "viz": lambda: rbd.viz.Viewer(hand),
    "symbolic": recorded.to_sympy,
    "jax": lambda: rbd.bridges.jax_function(recorded),
    "torch": lambda: rbd.bridges.torch_function(recorded),
    "gym": lambda: rbd.gym,
    "contact": lambda: rbd.contact.solve_qp(np.eye(1), [1.0], [[1.0]], [1.0], solver="daqp"),
}}
from rbd.testing import strategies
calls["testing"] = strategies.axes
found = {{}}
for extra, call in calls.items():
    try:
        call()
    except MissingPackageError as error:
        found[extra] = [error.extra, str(error)]
print(json.dumps(found))
"""


def test_functions_name_the_extra_they_need() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert sorted(found) == ["contact", "gym", "jax", "plot", "symbolic", "testing", "torch", "viz"]
    for extra, (field, message) in found.items():
        assert field == extra
        assert message.endswith(f"pip install 'rbd[{extra}]'")


def test_the_table_is_that_of_the_project() -> None:
    for package, extra in EXTRA_OF_PACKAGE.items():
        wanted = COME_ALONG.get(package, package)
        assert any(each.startswith(wanted) for each in PROJECT["optional-dependencies"][extra])


def test_extras_install_only_what_is_imported() -> None:
    root = Path(__file__).resolve().parents[1] / "rbd"
    source = "\n".join(path.read_text(encoding="utf-8") for path in root.rglob("*.py"))
    wanted = [each for listed in PROJECT["optional-dependencies"].values() for each in listed]
    packages = {re.split(r"[\[<>=]", each)[0] for each in wanted if not each.startswith("rbd[")}
    modules = {package: name for name, package in COME_ALONG.items() if name in ("PIL", "collada", "imageio_ffmpeg")}
    for package in packages:
        name = re.escape(modules.get(package, package))
        assert re.search(rf"(import|from) {name}\b|import_module\(\"{name}[.\"]", source), package


def test_other_missing_modules_are_not_renamed() -> None:
    with pytest.raises(ModuleNotFoundError, match="nowhere") as caught, requires_extra("tests"):
        raise ModuleNotFoundError("No module named 'nowhere'", name="nowhere")
    assert not isinstance(caught.value, RbdError)
    with pytest.raises(MissingPackageError) as missing, requires_extra("tests"):
        raise ModuleNotFoundError("No module named 'scipy.spatial'", name="scipy.spatial")
    assert (missing.value.package, missing.value.extra) == ("scipy", "sim")
    assert isinstance(missing.value, ModuleNotFoundError)


MODULES = (
    *("algorithms", "bridges", "contact", "export", "gym", "mjcf", "rational", "rollout", "simulation", "testing"),
    *("urdf", "viz"),
)
FIRST_USES = """
import os, sys, rbd
for name in sys.argv[1:]:
    if os.fork() == 0:
        module = getattr(rbd, name)
        print(module.__name__, module is sys.modules[f"rbd.{name}"], flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""
"""Each module is used first in a process that has imported rbd alone."""


def test_modules_are_attributes() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_USES, *MODULES], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"rbd.{name} True" for name in MODULES], done.stderr
