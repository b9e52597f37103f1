"""Files of installed Python packages."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Final

from rbd.errors import ArgumentError, UnknownNameError, quoted

_MAX_LISTED: Final = 5


def installed_file(package: str, name: str) -> Path:
    """Return the path of the file of an installed package whose path ends with `name`.

    Raises UnknownNameError if there is no such package or file, ArgumentError if there are several.

    >>> installed_file("attrs", "attr/__init__.py").name
    '__init__.py'
    """
    try:
        files = metadata.files(package) or []
    except (metadata.PackageNotFoundError, ValueError) as error:
        message = f"{quoted(f'{package}:{name}')} is no file, and no Python package {quoted(package)} is installed"
        raise UnknownNameError(message, kind="package", name=package, known=(), suggestion=None) from error
    wanted = PurePosixPath(name).parts
    matching = sorted((file for file in files if file.parts[-len(wanted) :] == wanted), key=str)
    if not matching:
        raise _unknown(package, name, [str(file) for file in files])
    if len(matching) > 1:
        message = f"package {package} has {len(matching)} files {quoted(name)}: write {_listed(package, matching)}"
        raise ArgumentError(message, argument="FILE", value=name, allowed=tuple(map(str, matching)))
    return Path(str(matching[0].locate()))


def _unknown(package: str, name: str, files: list[str]) -> UnknownNameError:
    """Return the error for a name that no file has, with the closest ones of that ending."""
    from difflib import get_close_matches

    ending = PurePosixPath(name).suffix
    names = sorted({PurePosixPath(file).name for file in files if ending and file.endswith(ending)})
    close = get_close_matches(PurePosixPath(name).name, names, n=_MAX_LISTED, cutoff=0.4) or names[:_MAX_LISTED]
    message = f"package {package} has no file {quoted(name)}"
    message += f"; files of that kind are {', '.join(close)}" if close else ""
    return UnknownNameError(message, kind="file", name=name, known=names, suggestion=close[0] if close else None)


def _listed(package: str, files: list[metadata.PackagePath]) -> str:
    """Return the shortest ends of the paths that tell files apart."""
    length = 1
    while len({file.parts[-length:] for file in files}) < len(files):
        length += 1
    shown = [f"{package}:{'/'.join(file.parts[-length:])}" for file in files[:_MAX_LISTED]]
    return " or ".join(shown) + (" ..." if len(files) > _MAX_LISTED else "")
