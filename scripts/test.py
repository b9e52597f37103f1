"""Pass the tests on a machine that has only Python 3.11 or newer.

    python3 scripts/test.py                     everything but the long runs
    python3 scripts/test.py tests/spatial -x    what follows goes to pytest

Makes an environment in `.venv-test`, installs rbd from this folder with the dependency group `test`, runs pytest.
The environment is kept, and made anew only when `pyproject.toml` or the interpreter has changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / ".venv-test"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = ENVIRONMENT / "made-from"
EXTRAS = "sim,contact,plot,symbolic,testing,viz,video,gym,data,cluster"


def main(arguments: list[str]) -> int:
    """Make the environment if need be, and run pytest in it."""
    if sys.version_info < (3, 11):  # noqa: UP036 - an older one is what this is about
        print(f"rbd needs Python 3.11 or newer; this is {sys.version.split()[0]}", file=sys.stderr)
        return 2
    if not STAMP.exists() or STAMP.read_text(encoding="utf-8") != fingerprint():
        make_environment()
    command = [str(PYTHON), "-m", "pytest", *(arguments or ["--numprocesses=auto", "--quiet"])]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def fingerprint() -> str:
    """Name what the environment depends on."""
    content = (ROOT / "pyproject.toml").read_bytes() + Path(__file__).read_bytes() + sys.version.encode()
    return hashlib.sha256(content).hexdigest()


def make_environment() -> None:
    """Make the environment from nothing; leave none behind that is half made."""
    print(f"making {ENVIRONMENT.name} (about a minute) ...", flush=True)
    venv.EnvBuilder(with_pip=True, clear=True).create(ENVIRONMENT)
    try:
        pip_install("--upgrade", "pip>=25.1")  # the first that knows dependency groups
        pip_install("--editable", f".[{EXTRAS}]", "--group", "test")
    except BaseException:
        shutil.rmtree(ENVIRONMENT)
        raise
    STAMP.write_text(fingerprint(), encoding="utf-8")


def pip_install(*what: str) -> None:
    """Run `pip install` in the environment."""
    subprocess.run([str(PYTHON), "-m", "pip", "install", "--quiet", *what], cwd=ROOT, check=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(error.cmd[1:])} failed; see above")
