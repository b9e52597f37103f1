"""Couplings of joints: the coordinate of one joint is a polynomial in that of another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, final

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import sequence
from rbd.errors import ArgumentError, NotFiniteError, TopologyError, quoted
from rbd.joints.base import JointType, coordinate_type, inherits_methods, velocity_is_derivative
from rbd.mechanism.joint import Joint
from rbd.mechanism.names import free_name, require_name
from rbd.mechanism.parameters import is_zero, number
from rbd.scalars import Scalar, is_float, to_float
from rbd.scalars.number_checks import require_number

if TYPE_CHECKING:
    from rbd.mechanism.structure import Structure

Numbers: TypeAlias = Sequence[Scalar] | NDArray[np.float64]


@final
@attrs.frozen(eq=False, repr=False)
class Coupling:
    """A coupling of tree joints, as `Mechanism.couple` makes it: q = c₀ + c₁ x + c₂ x² + ...

    q is the coordinate of `joint`, x that of `source`. Without a source, q is c₀. A coupling belongs to one mechanism
    and does not change.

    >>> import rbd
    >>> arm = rbd.robots.double_pendulum()
    >>> coupling = arm.couple("elbow", "shoulder", polynomial=(0.1, 0.0, 2.0))
    >>> coupling.coefficients, coupling.is_linear, coupling.value(2.0)
    ((0.1, 0.0, 2.0), False, 8.1)
    """

    name: str
    joint: Joint
    source: Joint | None
    coefficients: tuple[Scalar, ...]

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Return the joint, and its source if there is one."""
        return (self.joint,) if self.source is None else (self.joint, self.source)

    @property
    def is_linear(self) -> bool:
        """Return whether the coupling is q = c₀ + c₁ x, or q = c₀."""
        return len(self.coefficients) <= 2

    def value(self, x: Scalar) -> Scalar:
        """Return q for the coordinate x of the source. Raises ShapeError or NotFiniteError for what is no number."""
        require_number(x, "x")
        return polynomial(self.coefficients, x)

    @property
    def slope_coefficients(self) -> tuple[Scalar, ...]:
        """Return the coefficients of dq/dx."""
        return _derivative(self.coefficients)

    @property
    def curvature_coefficients(self) -> tuple[Scalar, ...]:
        """Return the coefficients of d²q/dx²."""
        return _derivative(self.slope_coefficients)

    @property
    def equation(self) -> str:
        """Return the equation as text.

        >>> import rbd
        >>> rbd.robots.double_pendulum().couple("elbow", "shoulder", ratio=0.5).equation
        'elbow = 0.5 shoulder'
        """
        variable = "" if self.source is None else self.source.name
        terms = [_term(c, variable, k) for k, c in enumerate(self.coefficients) if not is_zero(c)]
        text = " + ".join(terms or ["0"]).replace("+ -", "- ")
        return f"{self.joint.name} = {text}"

    @override
    def __repr__(self) -> str:
        return f"<Coupling {self.name!r}: {self.equation}>"


def polynomial(coefficients: Sequence[Scalar], x: Scalar) -> Scalar:
    """Return the value of a polynomial by Horner's rule; the coefficients begin with the constant one."""
    total: Scalar = 0
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def _derivative(coefficients: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return tuple(k * c for k, c in enumerate(coefficients))[1:]


def _term(coefficient: Scalar, variable: str, power: int) -> str:
    unit = is_float(coefficient) and abs(to_float(coefficient)) == 1 and power
    sign = "-" if unit and to_float(coefficient) < 0 else ""
    factor = sign if unit else f"{coefficient} " if power else f"{coefficient}"
    return factor + ("" if power == 0 else variable if power == 1 else f"{variable}^{power}")


# -------------------------------------------------------------------- making one


def make_coupling(
    structure: Structure,
    joint: Joint,
    source: Joint | None,
    offset_and_ratio: tuple[Scalar, Scalar],
    values: Numbers | None,
    name: str | None,
) -> Coupling:
    """Return the coupling that `Mechanism.couple` describes, not yet added."""
    _check_joints(structure, joint, source)
    coefficients = _coefficients(*offset_and_ratio, values, source)
    if name is not None:
        structure.registry.require_new_name(require_name(name, "coupling"), structure.couplings, "coupling")
        return Coupling(name, joint, source, coefficients)
    return Coupling(_default_name(structure, joint, source), joint, source, coefficients)


def _check_joints(structure: Structure, joint: Joint, source: Joint | None) -> None:
    """Raise TopologyError or ArgumentError unless these two joints can be coupled."""
    for coupled, argument in ((joint, "joint"), (source, "to")):
        if coupled is not None:
            require_tree_joint(structure, coupled)
            require_coordinate(coupled, argument)
    if source is joint:
        raise TopologyError(f"joint {quoted(joint.name)} cannot be coupled to itself", joint=joint.name)


def require_tree_joint(structure: Structure, joint: Joint) -> None:
    """Raise TopologyError for a joint that closes a loop."""
    if not structure.is_tree_edge(structure.edges[joint]):
        message = f"joint {quoted(joint.name)} closes a loop: it has no coordinate to couple"
        raise TopologyError(message, joint=joint.name)


def require_coordinate(joint: Joint, argument: str) -> None:
    """Raise ArgumentError unless the velocity of a joint is the derivative of its only coordinate."""
    joint_type = joint.type
    if joint.nq == joint.nv == 1 and _keeps_coordinate(joint_type):
        return
    message = (
        f"a {type(joint_type).__name__} joint has no single coordinate with its velocity as derivative, "
        "or its type overrides configuration_derivative"
    )
    raise ArgumentError(
        f"{argument}: joint {quoted(joint.name)} cannot be coupled: {message}",
        argument=argument,
        value=joint,
        allowed="a revolute, prismatic or screw joint",
    )


def _keeps_coordinate(joint_type: JointType) -> bool:
    """Return whether v is the derivative of q for a type of joint, and q stays when the joint is reversed."""
    return velocity_is_derivative(joint_type) and inherits_methods(coordinate_type(joint_type), "flip_configuration")


def _coefficients(offset: Scalar, ratio: Scalar, values: Numbers | None, source: Joint | None) -> tuple[Scalar, ...]:
    """Return the coefficients, of which the last is not zero unless they are two or fewer."""
    if values is None:
        offset, ratio = _finite(offset, "offset"), _finite(ratio, "ratio")
        return (offset,) if source is None else (offset, ratio)
    if not (is_zero(offset) and is_float(ratio) and to_float(ratio) == 1):
        raise ArgumentError("give ratio and offset, or a polynomial, not both", argument="polynomial", value=values)
    coefficients = [_finite(c, "polynomial") for c in sequence(values, "polynomial", "numbers")]
    if not coefficients:
        raise ArgumentError("polynomial has no coefficients", argument="polynomial", value=values)
    while len(coefficients) > 2 and is_zero(coefficients[-1]):
        coefficients.pop()
    if source is None and len(coefficients) != 1:
        message = "without a joint to couple to, the polynomial is one number, at which the joint is held"
        raise ArgumentError(message, argument="polynomial", value=values)
    return tuple(coefficients) if source is None else (*coefficients, *[0.0] * (2 - len(coefficients)))


def _finite(value: Scalar, argument: str) -> Scalar:
    checked = number(value, argument)
    if is_float(checked) and not math.isfinite(to_float(checked)):
        raise NotFiniteError(f"{argument} holds infinity", argument=argument)
    return checked


def _default_name(structure: Structure, joint: Joint, source: Joint | None) -> str:
    name = f"{joint.name}_held" if source is None else f"{joint.name}_to_{source.name}"
    return free_name(name, structure.couplings)


# -------------------------------------------------------------------- in edits and copies


def with_joints(coupling: Coupling, joints: dict[Joint, Joint], name: str | None = None) -> Coupling:
    """Return a coupling with other joints in the place of those in `joints`, and perhaps another name."""
    source = None if coupling.source is None else joints.get(coupling.source, coupling.source)
    joint = joints.get(coupling.joint, coupling.joint)
    return attrs.evolve(coupling, joint=joint, source=source, name=name or coupling.name)
