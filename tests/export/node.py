"""Modules of WebAssembly called in Node.js, with numbers as bits."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbd.scalars.arrays import Array

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")

_SCRIPT = """
const [file, calls] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const bits = (array) => Array.from(new BigUint64Array(array.buffer), (x) => x.toString(16));
const numbers = (words) => new Float64Array(BigUint64Array.from(words, (x) => BigInt("0x" + x)).buffer);
const mapped = (entries, change) => Object.fromEntries(Object.entries(entries).map(([name, x]) => [name, change(x)]));
require(file).load().then((robot) => {
  console.log(JSON.stringify(calls.map(([name, inputs]) => {
    try {
      return mapped(robot[name](mapped(inputs, numbers)), bits);
    } catch (error) {
      return { error: error.message, kind: error.name, status: error.status };
    }
  })));
});
"""


def words(array: Array) -> list[str]:
    """Return the bits of numbers."""
    return [f"{x:x}" for x in np.ascontiguousarray(array, dtype=np.float64).reshape(-1).view(np.uint64).tolist()]


def called(script: Path, calls: Sequence[tuple[str, Mapping[str, Array]]]) -> list[dict[str, Any]]:
    """Return the outputs of calls as bits by name, or the error, its kind and its status."""
    given = [(name, {key: words(array) for key, array in inputs.items()}) for name, inputs in calls]
    done = subprocess.run(
        ["node", "-e", _SCRIPT], input=json.dumps([str(script), given]), check=True, capture_output=True, text=True
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found
