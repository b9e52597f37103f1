"""Description of the machine: processor, load, versions."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

import rbd
from rbd.bench.report import Machine
from rbd.native import available

_PACKAGES = ("numpy", "llvmlite", "pin", "mujoco", "mjlab", "casadi", "example-robot-data")


def machine() -> Machine:
    """Describe this machine."""
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        load=[round(x, 1) for x in os.getloadavg()] if hasattr(os, "getloadavg") else [],
        lanes=_lanes(),
        system=f"{platform.system()} {platform.machine()}",
        versions=_versions(),
    )


def _processor() -> str:
    """Return the name of the processor as the operating system reports it."""
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return " ".join(filter(None, (line.split(":", 1)[1].strip(), _llvm_name())))
    return platform.processor() or platform.machine()


def _llvm_name() -> str:
    """Return LLVM's name of the processor: virtual machines often hide the real one."""
    if not available():
        return ""
    from rbd.native.runtime.jit import host_processor

    return f"({host_processor().cpu})"


def _lanes() -> int:
    if not available():
        return 1
    from rbd.native.runtime.jit import host_processor

    return host_processor().lanes


def _versions() -> dict[str, str]:
    """Return the versions of rbd, Python, dependencies and engines."""
    versions = {"rbd": rbd.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions
