"""Packages of extras, which are imported where they are used: errors name the extra to install."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final

from rbd.errors import MissingPackageError

EXTRA_OF_PACKAGE: Final[Mapping[str, str]] = {
    "PIL": "viz",
    "collada": "viz",
    "dask": "cluster",
    "distributed": "cluster",
    "daqp": "contact",
    "gymnasium": "gym",
    "h5py": "data",
    "hypothesis": "testing",
    "imageio_ffmpeg": "video",
    "jax": "jax",
    "matplotlib": "plot",
    "mpl_toolkits": "plot",
    "mpmath": "symbolic",
    "scipy": "sim",
    "sympy": "symbolic",
    "torch": "torch",
    "trimesh": "viz",
    "viser": "viz",
}
"""The extra that installs a package."""
_DISTRIBUTIONS: Final[Mapping[str, str]] = {"PIL": "pillow", "collada": "pycollada", "mpl_toolkits": "matplotlib"}
"""Distributions whose names are not those of their packages."""


@contextmanager
def requires_extra(what: str) -> Generator[None]:
    """Raise MissingPackageError in place of ModuleNotFoundError for the packages of extras; `what` needs them.

    It is a context manager and a decorator.

    >>> import rbd
    >>> try:
    ...     with requires_extra("plots"):
    ...         raise ModuleNotFoundError("No module named 'matplotlib.figure'", name="matplotlib.figure")
    ... except rbd.errors.MissingPackageError as error:
    ...     print(error)
    plots need matplotlib: pip install 'rbd[plot]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        extra = EXTRA_OF_PACKAGE.get(package)
        if extra is None:
            raise
        shown = _DISTRIBUTIONS.get(package, package)
        message = f"{what} need {shown}: pip install 'rbd[{extra}]'"
        raise MissingPackageError(message, package=shown, extra=extra) from error
