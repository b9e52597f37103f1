"""Actuators, springs and gravity compensation of a model as a controller for `simulate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms import point_jacobian
from rbd.arguments import require_kind
from rbd.indexing.layout import layout_of
from rbd.mechanism import Mechanism
from rbd.scalars import Vector
from rbd.scalars.arrays import Array, scalars
from rbd.spatial import Point
from rbd.state import MechanismState

if TYPE_CHECKING:
    from rbd.mjcf.report import Actuator, GravityCompensation, MjcfReport, MomentArms

Control: TypeAlias = ArrayLike | Callable[[float, MechanismState], ArrayLike] | None


@final
class MjcfController:
    """A controller with the actuators, springs and gravity compensation of a file: a function of (t, state).

    Made by `MjcfReport.controller`.

    >>> import rbd
    >>> report = rbd.mjcf.MjcfReport()
    >>> disc = rbd.parse_mjcf('''<mujoco><worldbody><body><joint name="axle"/><geom size="1"/></body></worldbody>
    ...   <actuator><motor joint="axle" gear="3"/></actuator></mujoco>''', report=report)
    >>> controller = report.controller(disc, [0.5])
    >>> controller(0.0, rbd.MechanismState(disc))
    array([1.5])
    """

    def __init__(self, mechanism: Mechanism, report: MjcfReport, control: Control = None) -> None:
        require_kind(mechanism, Mechanism, operation="MjcfController", argument="mechanism")
        self.mechanism = mechanism
        self._actuators = list(report.actuators)
        self._springs = list(report.springs)
        self._compensations = list(report.gravity_compensations)
        self._by_actuators = np.zeros(mechanism.nv, dtype=np.bool_)
        layout = layout_of(mechanism)
        for name in report.compensated_by_actuators:
            self._by_actuators[layout.node(name).v_slice] = True
        is_given_per_call = control is None or callable(control)
        self._control = control if is_given_per_call else scalars(control, len(self._actuators), "control")
        self._actuator_transmission = _transmission(mechanism, [actuator.moment_arms for actuator in report.actuators])
        self._spring_transmission = _transmission(mechanism, [spring.moment_arms for spring in report.springs])
        bounds = [pair for joint in mechanism.tree_joints for pair in joint.effort_bounds]
        self._bounds = np.array(bounds, dtype=np.float64).reshape(-1, 2).T

    def __call__(self, t: float, state: MechanismState) -> Array:
        """Return the torques on all joints."""
        forces = map(_force, self._actuators, self._controls(t, state), *self._actuator_transmission.motion(state))
        compensation = self._gravity_compensation(state)
        # `like`: in a function that is recorded the forces are expressions
        actuator_torques: Array = np.array([*forces], like=state.q) @ self._actuator_transmission.of_velocities
        torques: Array = np.clip(actuator_torques + np.where(self._by_actuators, compensation, 0.0), *self._bounds)
        torques = torques + np.where(self._by_actuators, 0.0, compensation)
        transmission = self._spring_transmission
        for spring, row, length, speed in zip(
            self._springs, transmission.of_velocities, *transmission.motion(state), strict=True
        ):
            extension = np.clip(length, *spring.rest) - length
            torques = torques + row * (spring.stiffness * extension - spring.damping * speed)
        return torques

    def _gravity_compensation(self, state: MechanismState) -> Array:
        """Return the torques that compensate weights."""
        total: Array = np.zeros(self.mechanism.nv)
        for entry in self._compensations:
            total = total - self._weight_torques(entry, state)
        return total

    def _controls(self, t: float, state: MechanismState) -> Vector:
        if self._control is None:
            return (0.0,) * len(self._actuators)
        values = self._control(t, state) if callable(self._control) else self._control
        return scalars(values, len(self._actuators), "control")

    def _weight_torques(self, entry: GravityCompensation, state: MechanismState) -> Array:
        """Return the joint torques of the share of a body's weight that is compensated."""
        frame = self.mechanism.frame(entry.body)
        body = self.mechanism.body_of_frame(frame)
        path = self.mechanism.path(self.mechanism.root_body, body)
        point = self.mechanism.fixed_transform(frame, body.default_frame) @ Point(frame, entry.com)
        jacobian = point_jacobian(state, path, state.transform(point, self.mechanism.root_frame))
        weight = entry.share * entry.mass * np.asarray(self.mechanism.gravity.xyz)
        torques: Array = weight @ jacobian.matrix
        return torques


class _Transmission(NamedTuple):
    """Matrices from q to lengths and from v to velocities; the transpose of the second maps forces to torques."""

    of_lengths: Array
    of_velocities: Array

    def motion(self, state: MechanismState) -> tuple[Array, Array]:
        """Return lengths and velocities."""
        return self.of_lengths @ state.q, self.of_velocities @ state.v


def _transmission(mechanism: Mechanism, moment_arms: Sequence[MomentArms]) -> _Transmission:
    """Return the matrices of moment arms; those of ball joints have no length."""
    lengths, speeds = np.zeros((len(moment_arms), mechanism.nq)), np.zeros((len(moment_arms), mechanism.nv))
    layout = layout_of(mechanism)
    for row, entries in enumerate(moment_arms):
        for name, factors in entries:
            node = layout.node(name)
            speeds[row, node.v_slice] += factors[: node.joint.nv]
            if node.joint.nq == 1:
                lengths[row, node.q_slice] += factors[:1]
    return _Transmission(lengths, speeds)


def _force(actuator: Actuator, control: Any, length: Any, speed: Any) -> Any:
    gain, bias = (a + b * length + c * speed for a, b, c in (actuator.gain, actuator.bias))
    force = gain * np.clip(control, *actuator.control_range) + bias
    return np.clip(force, *actuator.force_range)
