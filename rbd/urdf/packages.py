"""Resolution of mesh references inside declared packages.

A reference is text from a stranger's file. It is resolved only when asked for, only to a regular file, and only inside
the directory it belongs to after every symbolic link is followed. There is no network scheme.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

from rbd.arguments import file_path, is_path_text, path_text, require_kind
from rbd.errors import ArgumentError, UrdfPathError, quoted
from rbd.files.paths import SCHEME, PathFault, check_reference, confined_file

Packages: TypeAlias = Mapping[str, str | os.PathLike[str]]

_PACKAGE_SCHEMES: Final = frozenset({"package", "model"})


def resolve_mesh(
    reference: str, *, packages: Packages | None = None, directory: str | os.PathLike[str] | None = None
) -> Path:
    """Return the path of the regular file that a mesh `reference` names.

    `package://name/path` (or `model://`) lies in `packages[name]`. A relative path starts at `directory`, the robot
    file's own; an absolute one or `file://` is taken as it is; both must end inside `directory` or a declared package.
    Raises UrdfPathError, whose `tried` lists the places looked at, for anything else, and ArgumentError for what is no
    text or no path.

    >>> from rbd.urdf import resolve_mesh
    >>> resolve_mesh("http://example.com/arm.stl")
    Traceback (most recent call last):
    rbd.errors.UrdfPathError: mesh 'http://example.com/arm.stl': scheme 'http' is not supported; ...
    """
    require_kind(reference, str, operation="resolve_mesh", argument="reference")
    home = [] if directory is None else [file_path(directory, operation="resolve_mesh", argument="directory")]
    declared = check_packages(packages)
    scheme, path = _scheme_and_path(reference)
    if scheme in _PACKAGE_SCHEMES:
        return _in_package(reference, path, declared)
    directories = [*home, *declared.values()]
    if not directories:
        raise _error(reference, "no directory is declared that it could lie in; pass packages={'name': directory}")
    if not home and not Path(path).is_absolute():
        raise _error(reference, "a relative path, and the robot was not read from a file")
    return _confined_file(reference, Path(*home, path), directories)


def _scheme_and_path(reference: str) -> tuple[str, str]:
    """Return the scheme of a reference, which may be empty, and its path; raise UrdfPathError for other schemes."""
    try:
        check_reference(reference)
    except PathFault as error:
        raise _error(reference, str(error)) from None
    match = SCHEME.match(reference)
    scheme, path = (match.group(1).lower(), match.group(2)) if match else ("", reference)
    if scheme not in ("", "file", *_PACKAGE_SCHEMES):
        raise _error(reference, f"scheme {quoted(scheme)} is not supported; use package://, file:// or a path")
    if scheme == "file" and not path.startswith("/"):
        raise _error(reference, "file:// needs an absolute path: file:///...")
    return scheme, path


def check_packages(packages: Packages | None) -> dict[str, Path]:
    """Return the package map with paths; raise ArgumentError unless it maps names to directories."""
    if packages is None:
        return {}
    if not isinstance(packages, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ArgumentError("packages must map names to directories", argument="packages", value=packages)
    declared: dict[str, Path] = {}
    for name, place in packages.items():
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            message = f"packages maps names to directories; {quoted(name)} is no name"
            raise ArgumentError(message, argument="packages", value=name)
        declared[name] = _package_path(name, place)
    return declared


def _package_path(name: str, place: object) -> Path:
    text = path_text(place)
    if text is None or not is_path_text(text):
        shown = type(place).__name__ if text is None else f"{quoted(text)}: it has a null character or a lone surrogate"
        message = f"packages[{name!r}] must be a path, not {shown}"
        raise ArgumentError(message, argument="packages", value=place)
    return Path(text)


def _in_package(reference: str, rest: str, packages: Mapping[str, Path]) -> Path:
    name, _, path = rest.partition("/")
    if name not in packages:
        known = ", ".join(sorted(packages)) or "none"
        message = f"package {quoted(name)} is not declared (declared: {known}); pass packages={{{name!r}: directory}}"
        raise _error(reference, message, package=name)
    home = packages[name]
    return _confined_file(reference, home / path.lstrip("/"), [home])


def _confined_file(reference: str, candidate: Path, directories: list[Path]) -> Path:
    try:
        return confined_file(candidate, directories)
    except PathFault as error:
        raise _error(reference, str(error), tried=error.tried) from None


def _error(reference: str, message: str, /, **fields: object) -> UrdfPathError:
    fields = {"tried": (), "file": None, "line": None, "column": None, "element": "mesh", **fields}
    return UrdfPathError(f"mesh {quoted(reference)}: {message}", reference=reference, **fields)
