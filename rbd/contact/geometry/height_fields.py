"""`HeightField`: uneven ground from a grid of heights."""

from __future__ import annotations

from typing import Final, Generic, final

import attrs
import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.contact.geometry.height_lookup import UNIT
from rbd.errors import ArgumentError
from rbd.scalars.arrays import Array, float_array
from rbd.scalars.number_checks import above_zero
from rbd.spatial import Frame
from rbd.spatial.frame import F, require_frame

_set = object.__setattr__
_MAX_HEIGHT: Final = 4000.0


@final
@attrs.frozen(eq=False, init=False, repr=False)
class HeightField(Generic[F]):
    """Uneven ground: all below the triangles between points of a grid, above a rectangle around the origin of `frame`.

    `heights[i, j]` is the z of a grid point; x grows with i and y with j, from -size/2 to size/2 along each. The
    diagonals that divide cells run from larger y to larger x. Spheres, capsules and the corners of boxes, hulls,
    cylinders and ellipsoids rest on it. The field ends at its border, and its sides are no surfaces. Heights are
    rounded to a millionth of a micrometre. Raises ShapeError, ArgumentError and NotFiniteError.

    >>> import numpy as np, rbd
    >>> rbd.contact.HeightField(rbd.Frame("hills"), size=(2.0, 1.0), heights=np.zeros((21, 11)))
    <height field: 21 x 11 points on 2 x 1 m>
    """

    frame: Frame[F]
    size: tuple[float, float]
    heights: Array
    units: tuple[int, ...]
    """Heights in the unit of tables."""

    def __init__(self, frame: Frame[F], size: ArrayLike, heights: ArrayLike) -> None:
        x, y = (above_zero(edge, "size") for edge in float_array(size, (2,), "size").tolist())
        grid = np.array(float_array(heights, (None, None), "heights"))
        if min(grid.shape) < 2:
            wanted = "at least 2 x 2 numbers"
            message = f"heights has shape {grid.shape}, needs {wanted}"
            raise ArgumentError(message, argument="heights", value=grid.shape, allowed=wanted)
        highest = float(np.abs(grid).max())
        if highest > _MAX_HEIGHT:
            wanted = f"{-_MAX_HEIGHT:g} to {_MAX_HEIGHT:g}"
            message = f"heights has entries up to {highest:g} in size, allowed are {wanted}"
            raise ArgumentError(message, argument="heights", value=highest, allowed=wanted)
        grid.flags.writeable = False
        _set(self, "frame", require_frame(frame, "frame"))
        _set(self, "size", (x, y))
        _set(self, "heights", grid)
        _set(self, "units", tuple(int(h) for h in np.rint(grid.ravel() / UNIT).astype(np.int64)))

    @property
    def grid_shape(self) -> tuple[int, int]:
        """The numbers of grid points along x and y."""
        columns, rows = self.heights.shape
        return columns, rows

    @property
    def cell(self) -> tuple[float, float]:
        """The edges of a cell."""
        columns, rows = self.grid_shape
        return self.size[0] / (columns - 1), self.size[1] / (rows - 1)

    def window(self, reach: float) -> tuple[int, int]:
        """Return the numbers of grid points along x and y that hold all cells within `reach` of any place."""
        along = [2 + int(np.ceil(2 * reach / edge)) for edge in self.cell]
        columns, rows = self.grid_shape
        return min(along[0], columns), min(along[1], rows)

    @override
    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle as arguments: arrays of pickles can be written."""
        return HeightField, (self.frame, self.size, self.heights)

    @override
    def __repr__(self) -> str:
        (columns, rows), (x, y) = self.grid_shape, self.size
        return f"<height field: {columns} x {rows} points on {x:g} x {y:g} m>"
