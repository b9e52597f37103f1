"""Spatial vectors: twists, accelerations, wrenches and momenta, angular part first."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import attrs
from typing_extensions import override

from rbd.display import latex_matrix, latex_name
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import Array, array_of
from rbd.spatial.linalg import Vec3, Vec6, add6, scale3, sub3
from rbd.spatial.values import SpatialValue, format_numbers, require_divisor, require_scalar


@attrs.frozen(eq=False, repr=False)
class SpatialVector(SpatialValue):
    """An angular and a linear part; abstract."""

    angular_components: Vec3
    linear_components: Vec3

    def _repr_latex_(self) -> str:
        frames = {key: latex_name(frame.name) for key, frame in self._frames()}
        marks = f"^{{{frames['base']}}}_{{{frames['body']}}}" if "body" in frames else ""
        column = latex_matrix([x] for x in self.components)
        return rf"$\mathrm{{{type(self).__name__}}}{marks} = {column}_{{{frames['frame']}}}$"

    @property
    def angular(self) -> Array:
        """The angular part as a fresh array."""
        return array_of(self.angular_components)

    @property
    def linear(self) -> Array:
        """The linear part as a fresh array."""
        return array_of(self.linear_components)

    @property
    def vector(self) -> Array:
        """Both parts, angular first, as a fresh array."""
        return array_of(self.components)

    @property
    def components(self) -> Vector:
        """The six scalars, angular first."""
        return self.angular_components + self.linear_components

    @abstractmethod
    def _with(self, angular: Vec3, linear: Vec3) -> Self:
        """Return a value of the same class and frames with other components."""

    def _plus(self, other: SpatialVector) -> Vec6:
        return add6(
            (self.angular_components, self.linear_components), (other.angular_components, other.linear_components)
        )

    def _minus(self, other: SpatialVector) -> Vec6:
        angular = sub3(self.angular_components, other.angular_components)
        return angular, sub3(self.linear_components, other.linear_components)

    def __mul__(self, factor: Scalar) -> Self:
        require_scalar(factor, f"{type(self).__name__} * factor")
        return self._with(scale3(self.angular_components, factor), scale3(self.linear_components, factor))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Self:
        require_divisor(divisor, f"{type(self).__name__} / divisor")
        (a, b, c), (x, y, z) = self.angular_components, self.linear_components
        return self._with((a / divisor, b / divisor, c / divisor), (x / divisor, y / divisor, z / divisor))

    @override
    def _parts(self) -> tuple[Vector, ...]:
        return self.angular_components, self.linear_components

    def _numbers(self) -> str:
        return f"angular {format_numbers(self.angular_components)}, linear {format_numbers(self.linear_components)}"
