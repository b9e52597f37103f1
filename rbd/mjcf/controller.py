"""Actuators, springs and gravity compensation of a model as a controller for `simulate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, final

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
            self._by_actuators[layout.node(name).v] = True
        is_given_per_call = control is None or callable(control)
        self._control = control if is_given_per_call else scalars(control, len(self._actuators), "control")
        self._actuator_moments = _moments(mechanism, [actuator.moment_arms for actuator in report.actuators])
        self._spring_moments = _moments(mechanism, [spring.moment_arms for spring in report.springs])
        bounds = [pair for joint in mechanism.tree_joints for pair in joint.effort_bounds]
        self._bounds = np.array(bounds, dtype=np.float64).reshape(-1, 2).T

    def __call__(self, t: float, state: MechanismState) -> Array:
        """Return the torques on all joints."""
        forces = map(_force, self._actuators, self._controls(t, state), *_motion(self._actuator_moments, state))
        weight = self._gravity_compensation(state)
        actuator_torques: Array = np.array([*forces, 0.0], like=state.q)[:-1] @ self._actuator_moments[1]
        torques: Array = np.clip(actuator_torques + np.where(self._by_actuators, weight, 0.0), *self._bounds)
        torques = torques + np.where(self._by_actuators, 0.0, weight)
        for spring, row, length, speed in zip(
            self._springs, self._spring_moments[1], *_motion(self._spring_moments, state), strict=True
        ):
            extension = np.clip(length, *spring.rest) - length
            torques = torques + row * (spring.stiffness * extension - spring.damping * speed)
        return torques

    def _gravity_compensation(self, state: MechanismState) -> Array:
        """Return the torques that compensate weights."""
        total: Array = np.zeros(self.mechanism.nv)
        for entry in self._compensations:
            total = total - self._compensation(entry, state)
        return total

    def _controls(self, t: float, state: MechanismState) -> Vector:
        if self._control is None:
            return (0.0,) * len(self._actuators)
        values = self._control(t, state) if callable(self._control) else self._control
        return scalars(values, len(self._actuators), "control")

    def _compensation(self, entry: GravityCompensation, state: MechanismState) -> Array:
        """Return the joint torques of the compensated share of a body's weight, with the opposite sign."""
        frame = self.mechanism.frame(entry.body)
        body = self.mechanism.body_of_frame(frame)
        path = self.mechanism.path(self.mechanism.root_body, body)
        point = self.mechanism.fixed_transform(frame, body.default_frame) @ Point(frame, entry.com)
        jacobian = point_jacobian(state, path, state.transform(point, self.mechanism.root_frame))
        weight = entry.share * entry.mass * np.asarray(self.mechanism.gravity.xyz)
        torques: Array = weight @ jacobian.matrix
        return torques


def _moments(mechanism: Mechanism, moment_arms: Sequence[MomentArms]) -> tuple[Array, Array]:
    """Return the matrices that give lengths for q and speeds for v; those of ball joints have no length."""
    lengths, speeds = np.zeros((len(moment_arms), mechanism.nq)), np.zeros((len(moment_arms), mechanism.nv))
    layout = layout_of(mechanism)
    for row, entries in enumerate(moment_arms):
        for name, factors in entries:
            node = layout.node(name)
            speeds[row, node.v] += factors[: node.joint.nv]
            if node.joint.nq == 1:
                lengths[row, node.q] += factors[:1]
    return lengths, speeds


def _motion(moments: tuple[Array, Array], state: MechanismState) -> tuple[Array, Array]:
    return moments[0] @ state.q, moments[1] @ state.v


def _force(actuator: Actuator, control: Any, length: Any, speed: Any) -> Any:
    gain, bias = (a + b * length + c * speed for a, b, c in (actuator.gain, actuator.bias))
    force = gain * np.clip(control, *actuator.control_range) + bias
    return np.clip(force, *actuator.force_range)
