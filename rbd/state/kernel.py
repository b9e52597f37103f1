"""How algorithms hand themselves in, so that the state layer never imports them.

Room: state; may import mechanism and above. A kernel is the readable body of an algorithm: a plain function of a
`StateView` and tuples of scalars that returns nested tuples of scalars. Whoever wants to run it in another way (on
symbols, counted, recorded) finds it by name in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

Body = TypeVar("Body", bound=Callable[..., object])

_kernels: dict[str, Callable[..., object]] = {}


def kernel(body: Body) -> Body:
    """Hand in the body of an algorithm under its function name.

    >>> from rbd.state.kernel import kernels
    >>> import rbd
    >>> "mass_matrix" in kernels()
    True
    """
    name = body.__name__.removesuffix("_kernel")
    if name in _kernels:
        raise RuntimeError(f"two algorithms are called {name!r}")
    _kernels[name] = body
    return body


def kernels() -> Mapping[str, Callable[..., object]]:
    """Return every kernel by name."""
    return MappingProxyType(_kernels)
