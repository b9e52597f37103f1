"""What twists, accelerations, wrenches and momenta share: an angular and a linear part, angular first."""

from __future__ import annotations

import attrs
from typing_extensions import override

from rbd.scalars import Vector
from rbd.scalars.arrays import Array, to_float_array
from rbd.spatial.linalg import Vec3
from rbd.spatial.values import SpatialValue, shown_numbers


@attrs.frozen(eq=False, repr=False)
class SixVector(SpatialValue):
    """An angular and a linear part; abstract."""

    angular_components: Vec3
    linear_components: Vec3

    @property
    def angular(self) -> Array:
        """The angular part as a fresh float64 array. Raises ScalarError unless all scalars are floats."""
        return to_float_array(self.angular_components)

    @property
    def linear(self) -> Array:
        """The linear part as a fresh float64 array. Raises ScalarError unless all scalars are floats."""
        return to_float_array(self.linear_components)

    @property
    def vector(self) -> Array:
        """Both parts, angular first, as a fresh float64 array. Raises ScalarError unless all scalars are floats."""
        return to_float_array(self.components)

    @property
    def components(self) -> Vector:
        """The six scalars, angular first, whatever they are."""
        return self.angular_components + self.linear_components

    @override
    def _parts(self) -> tuple[Vector, ...]:
        return self.angular_components, self.linear_components

    def _numbers(self) -> str:
        return f"angular {shown_numbers(self.angular_components)}, linear {shown_numbers(self.linear_components)}"
