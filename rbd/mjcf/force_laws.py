"""The force of an actuator: gain times control, plus bias, both affine in length and speed."""

from __future__ import annotations

from typing import Final, final

from rbd.files.pose import ZERO, FloatVec3
from rbd.mjcf.element import MjcfElement

LAWS: Final = ("none", "fixed", "affine")
_MAX_NUMBERS: Final = 10


@final
class ForceLaw:
    """Gain and bias of an actuator, which the layers of its defaults set one after the other.

    A positive last entry of the bias is the damping ratio of a `position` until `resolve_ratios`.
    """

    def __init__(self) -> None:
        """Begin with a gain of one and no bias."""
        self._gain = [1.0, 0.0, 0.0]
        self._bias = [0.0, 0.0, 0.0]
        self._gain_is_affine = False
        self._bias_is_affine = False

    def read(self, layer: MjcfElement) -> None:
        """Read the attributes of one layer."""
        kinds = {"position": self._position, "velocity": self._velocity, "damper": self._damper, "motor": self._motor}
        kinds.get(layer.node.tag, self._general)(layer)

    def _position(self, layer: MjcfElement) -> None:
        gain, bias = self._gain, self._bias
        gain[0] = layer.number("kp", gain[0])
        bias[1], bias[2] = -gain[0], -layer.number("kv", -bias[2])
        bias[2] = layer.number("dampratio", bias[2])
        self._gain_is_affine, self._bias_is_affine = False, True

    def _velocity(self, layer: MjcfElement) -> None:
        self._gain[0] = layer.number("kv", self._gain[0])
        self._bias[:] = [0.0, 0.0, -self._gain[0]]
        self._gain_is_affine, self._bias_is_affine = False, True

    def _damper(self, layer: MjcfElement) -> None:
        self._gain[:] = [0.0, 0.0, -layer.number("kv", -self._gain[2])]
        self._gain_is_affine, self._bias_is_affine = True, False

    def _motor(self, layer: MjcfElement) -> None:
        self._gain[0], self._gain_is_affine, self._bias_is_affine = 1.0, False, False

    def _general(self, layer: MjcfElement) -> None:
        for values, attribute in ((self._gain, "gainprm"), (self._bias, "biasprm")):
            prefix = layer.quantities(attribute, _MAX_NUMBERS)[:3]
            values[: len(prefix)] = prefix
        self._gain_is_affine = layer.choice("gaintype", LAWS, "affine" if self._gain_is_affine else "fixed") == "affine"
        self._bias_is_affine = layer.choice("biastype", LAWS, "affine" if self._bias_is_affine else "none") == "affine"

    def coefficients(self) -> tuple[FloatVec3, FloatVec3]:
        """Return the factors of (1, length, speed) in gain and bias."""
        a, b, c = self._gain
        x, y, z = self._bias
        gain = (a, b, c) if self._gain_is_affine else (a, 0.0, 0.0)
        return gain, (x, y, z) if self._bias_is_affine else ZERO
