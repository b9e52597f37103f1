"""Test what users install: the wheel, on every Python found here, with the oldest and with the newest dependencies.

    python3 scripts/check_wheel.py                                  every combination
    python3 scripts/check_wheel.py --python 3.12 --newest --quick   one of them

Builds the wheel and the source distribution from this folder, and compares the wheel with one built from the source
distribution. Each combination of a Python and dependencies gets a fresh environment. The oldest dependencies are the
lower bounds in `pyproject.toml`, or the first later release that has a wheel for this Python. The tests are those of
the source distribution; their folder `rbd` is a link to the installed package. Of the Pythons asked for, all tests but
those of types run on the oldest with the oldest dependencies, and on the newest with the newest; a selection runs
elsewhere. Types are checked by other steps.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGINNING = time.monotonic()
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = ("sim", "contact", "plot", "viz", "symbolic", "testing", "data", "gym")
TOOLS = ("pytest>=8.3", "pytest-randomly>=3.15", "pytest-xdist>=3.6", "sybil>=9.0", "mpmath>=1.3")
QUICK = tuple(f"tests/{folder}" for folder in ("cli", "native/builtins", "native/batch", "spatial", "joints", "urdf"))
"""The command line, machine code that reads this interpreter's objects, and layers of values, models and files."""
OPTIONS = (
    "--ignore=tests/typing",
    "--deselect=tests/docs/test_examples.py::test_examples_are_typed",
    "--deselect=tests/docs/test_examples.py::test_type_errors_are_found",
    "-pno:anyio",  # of a dependency of viser: older releases do not know the newest pytest
    "-Wignore::pyparsing.warnings.PyparsingDeprecationWarning",  # of older releases of Matplotlib
)
Combination = tuple[str, bool]
"""A version of Python, and whether dependencies are the oldest."""


@dataclass(frozen=True)
class Build:
    """Folder with the tools, the wheel and the sources of the tests."""

    folder: Path
    wheel: Path
    sources: Path

    @property
    def tool(self) -> Path:
        """Return the folder of the tools' executables."""
        return self.folder / "tools" / "bin"


def main(arguments: Sequence[str]) -> int:
    """Check every combination asked for; return 1 when one fails."""
    options = parse_arguments(arguments)
    pythons = interpreters()
    missing = [version for version in VERSIONS if version not in pythons]
    wanted = [version for version in pythons if version in (options.python or VERSIONS)]
    if not wanted:
        print(f"none of the Pythons asked for is here; there are {', '.join(pythons)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="rbd-wheel-") as folder:
        build = build_distributions(Path(folder))
        check_metadata(build.wheel, pythons)
        outcomes = {
            (version, oldest): check(
                build, pythons[version], version, oldest, runs_all_tests(version, oldest, wanted, options)
            )
            for version in wanted
            for oldest in dependency_kinds(options)
        }
    report(outcomes, missing)
    return 0 if all(outcomes.values()) else 1


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", action="append", choices=VERSIONS, help="a version (default: all that are here)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--oldest", action="store_true", help="the oldest dependencies only")
    which.add_argument("--newest", action="store_true", help="the newest dependencies only")
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--quick", action="store_true", help="the selection of tests everywhere")
    amount.add_argument("--all-tests", action="store_true", help="all tests everywhere")
    return parser.parse_args(arguments)


def dependency_kinds(options: argparse.Namespace) -> list[bool]:
    """Return whether dependencies are the oldest, for each kind asked for."""
    return [oldest for oldest, unwanted in ((True, options.newest), (False, options.oldest)) if not unwanted]


def runs_all_tests(version: str, oldest: bool, versions: Sequence[str], options: argparse.Namespace) -> bool:
    """Return whether all tests run here: those with what is oldest, and with what is newest."""
    corner = (version == versions[0]) if oldest else (version == versions[-1])
    return bool(options.all_tests or (corner and not options.quick))


def interpreters() -> dict[str, Path]:
    """Return an interpreter of every supported version found here, oldest first."""
    folders = [*map(Path, os.environ.get("PATH", "").split(os.pathsep))]
    installed = Path.home().glob(".pyenv/versions/*/bin/python3")
    candidates = [Path(sys.executable), *installed, *(f / f"python{v}" for f in folders for v in VERSIONS)]
    found: dict[str, Path] = {}
    for path in candidates:
        if path.exists() and (version := version_of(path)) in VERSIONS:
            found.setdefault(version, path)
    return {version: found[version] for version in VERSIONS if version in found}


def version_of(python: Path) -> str:
    """Return the version of an interpreter, such as "3.12"; "" of what does not run."""
    question = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    with contextlib.suppress(OSError):
        done = subprocess.run([str(python), "-c", question], capture_output=True, text=True, check=False)
        return done.stdout.strip()
    return ""


# -- building ---------------------------------------------------------------------------------------------------------


def build_distributions(folder: Path) -> Build:
    """Build both distributions; return them with the sources of the tests, and the tools."""
    step("the wheel and the source distribution")
    venv.EnvBuilder(with_pip=True).create(folder / "tools")
    tool = folder / "tools" / "bin"
    run([tool / "python", "-m", "pip", "install", "--quiet", "hatchling", "uv"])
    run([tool / "hatchling", "build", "-d", folder / "dist"], cwd=ROOT)
    (wheel,), (archive,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    (sources,) = (folder / "unpacked").iterdir()
    run([tool / "hatchling", "build", "-t", "wheel", "-d", folder / "again"], cwd=sources)
    if contents(wheel) != contents(folder / "again" / wheel.name):
        raise SystemExit("the wheel built from the source distribution is another than the one built from the folder")
    shutil.rmtree(sources / "rbd")
    return Build(folder, wheel, sources)


def contents(wheel: Path) -> dict[str, bytes]:
    """Return what a wheel holds, by name."""
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def check_metadata(wheel: Path, pythons: dict[str, Path]) -> None:
    """Stop unless the wheel holds the package alone, with its marker of types, and claims the Pythons found here."""
    files = contents(wheel)
    strangers = [name for name in files if not name.startswith(("rbd/", f"{wheel.name.split('-py3')[0]}.dist-info/"))]
    (metadata,) = (text.decode() for name, text in files.items() if name.endswith(".dist-info/METADATA"))
    claimed = re.findall(r"^Classifier: Programming Language :: Python :: (3\.\d+)$", metadata, re.MULTILINE)
    if strangers or "rbd/py.typed" not in files or "Requires-Python: >=3.11" not in metadata:
        raise SystemExit(f"the wheel is not what it should be: {strangers[:5]}")
    if not set(claimed) >= set(pythons):
        raise SystemExit(f"classifiers name {claimed}; tested are {list(pythons)}")
    print(f"{wheel.name}: {len(files)} files; the source distribution makes the same")


# -- one combination --------------------------------------------------------------------------------------------------


def check(build: Build, python: Path, version: str, oldest: bool, all_tests: bool) -> bool:
    """Install the wheel in a fresh environment and run tests; return whether they pass."""
    step(f"Python {version}, {name(oldest)} dependencies, {'all tests' if all_tests else 'a selection of tests'}")
    environment = build.folder / f"{version}-{name(oldest)}"
    run([build.tool / "uv", "venv", "--quiet", "--python", python, environment])
    install(build, environment, oldest)
    print_versions(build, environment)
    with linked(build, environment):
        selection = [] if all_tests else list(QUICK)
        command = [
            str(environment / "bin" / "python"),
            "-m",
            "pytest",
            "--quiet",
            "--numprocesses=auto",
            *OPTIONS,
            *selection,
        ]
        done = subprocess.run(command, cwd=build.sources, env=clean_environment(), check=False)
    shutil.rmtree(environment)
    return done.returncode == 0


def install(build: Build, environment: Path, oldest: bool) -> None:
    """Install the dependencies of a kind, the wheel, and what runs its tests."""
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    resolution = "lowest-direct" if oldest else "highest"
    uv(build, environment, "install", "--resolution", resolution, "-r", ROOT / "pyproject.toml", *extras)
    uv(build, environment, "install", *TOOLS)
    uv(build, environment, "install", "--no-deps", build.wheel)
    uv(build, environment, "check")


def uv(build: Build, environment: Path, *what: str | Path) -> None:
    """Run `uv pip` in an environment; wheels only, byte-compiled, so that no test sees warnings of old packages."""
    first, *rest = what
    options = ("--quiet", "--only-binary", ":all:", "--compile-bytecode") if first == "install" else ("--quiet",)
    command: list[str | Path] = [build.tool / "uv", "pip", first, *options, *rest]
    run(command, env={**clean_environment(), "VIRTUAL_ENV": str(environment)})


def print_versions(build: Build, environment: Path) -> None:
    """Print the versions of the dependencies."""
    listing = [str(build.tool / "uv"), "pip", "freeze", "--quiet"]
    variables = {**os.environ, "VIRTUAL_ENV": str(environment)}
    lines = subprocess.run(listing, env=variables, capture_output=True, text=True, check=True).stdout.splitlines()
    print(" ".join(line for line in lines if "==" in line and line.split("==")[0] in direct()), flush=True)


def direct() -> set[str]:
    """Return the names of the packages that `pyproject.toml` asks for."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return {found.lower().replace("_", "-") for found in re.findall(r'"([A-Za-z0-9_-]+)(?:\[[a-z]+\])?>=', text)}


@contextlib.contextmanager
def linked(build: Build, environment: Path) -> Generator[None]:
    """Let `rbd` beside the tests be the installed package."""
    (installed,) = environment.glob("lib/python*/site-packages/rbd")
    link = build.sources / "rbd"
    link.symlink_to(installed, target_is_directory=True)
    try:
        yield
    finally:
        link.unlink()


def clean_environment() -> dict[str, str]:
    """Return the environment of this process, without what changes where Python finds or writes modules."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "RBD_"))}


def report(outcomes: dict[Combination, bool], missing: Sequence[str]) -> None:
    """Print what was tested, and what was not."""
    step("what users install")
    for (version, oldest), passed in outcomes.items():
        print(f"Python {version}, {name(oldest)} dependencies: {'passed' if passed else 'FAILED'}")
    for version in missing:
        print(f"Python {version}: not here, not tested")


def name(oldest: bool) -> str:
    """Name a kind of dependencies."""
    return "oldest" if oldest else "newest"


def step(what: str) -> None:
    """Print a heading, and the seconds since the beginning."""
    print(f"\n-- {what} ({time.monotonic() - BEGINNING:.0f} s)", flush=True)


def run(command: Sequence[str | Path], cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    """Run a command; stop when it fails."""
    done = subprocess.run([*map(str, command)], cwd=cwd, env=env, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed; see above")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
