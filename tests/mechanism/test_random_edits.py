"""Random sequences of edits: after every one, and after every refused one, all promises hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rbd.errors import ArgumentError, TopologyError
from rbd.joints import Fixed, JointType, QuaternionFloating, QuaternionSpherical, Revolute
from rbd.mechanism import Joint, Mechanism
from rbd.testing.random_mechanisms import attach_at_random_pose, random_body, random_chain
from tests.mechanism import invariants
from tests.mechanism.conftest import ALL_TYPES

TYPES: tuple[JointType, ...] = (*ALL_TYPES, Fixed(), Fixed(), Revolute((0, 0, 1)), QuaternionSpherical())
types = st.sampled_from(TYPES)
pick = st.floats(0, 1, exclude_max=True)


class Edits(RuleBasedStateMachine):
    """Edits a mechanism at random, and keeps an eye on versions and on the configuration that every edit maps."""

    @initialize(seed=st.integers(0, 1000))
    def start(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.mechanism = Mechanism()
        self.made = 0
        self.versions = (-1, -1)

    def name(self, kind: str) -> str:
        self.made += 1
        return f"{kind}{self.made}"

    def body(self, where: float) -> Any:
        return self.mechanism.bodies[int(where * len(self.mechanism.bodies))]

    def joint(self, where: float) -> Any:
        return self.mechanism.joints[int(where * len(self.mechanism.joints))]

    def refusable(self, edit: Any) -> Any:
        """Make an edit that may be refused; then nothing may have changed."""
        before = invariants.content(self.mechanism)
        try:
            return edit()
        except (TopologyError, ArgumentError):
            assert invariants.content(self.mechanism) == before
            return None

    @rule(where=pick, joint_type=types, damping=st.sampled_from([0.0, 0.5]))
    def attach(self, where: float, joint_type: JointType, damping: float) -> None:
        joint, body = Joint(self.name("joint"), joint_type, damping=damping), random_body(self.name("body"), self.rng)
        attach_at_random_pose(self.mechanism, self.body(where), body, joint, self.rng)
        assert self.mechanism.tree_joints[-1] is joint

    @precondition(lambda self: len(self.mechanism.bodies) > 1)
    @rule(one=pick, other=pick, joint_type=types)
    def close_loop(self, one: float, other: float, joint_type: JointType) -> None:
        joint = Joint(self.name("loop"), joint_type)
        first, last = self.body(one), self.body(other)
        if first is not last:
            attach_at_random_pose(self.mechanism, first, last, joint, self.rng)
            assert self.mechanism.loop_joints[-1] is joint

    @precondition(lambda self: self.mechanism.joints)
    @rule(one=pick, other=pick, degree=st.integers(1, 3))
    def couple(self, one: float, other: float, degree: int) -> None:
        joint, source = self.joint(one), self.joint(other)
        coefficients = self.rng.standard_normal(degree + 1).tolist()
        coupling = self.refusable(
            lambda: self.mechanism.couple(joint, source, polynomial=coefficients, name=self.name("coupling"))
        )
        assert coupling is None or self.mechanism.couplings[-1] is coupling

    @precondition(lambda self: self.mechanism.couplings)
    @rule(where=pick)
    def uncouple(self, where: float) -> None:
        couplings = self.mechanism.couplings
        self.mechanism.uncouple(couplings[int(where * len(couplings))])
        assert len(self.mechanism.couplings) == len(couplings) - 1

    @precondition(lambda self: self.mechanism.joints)
    @rule(where=pick)
    def remove_joint(self, where: float) -> None:
        joint, count, couplings = self.joint(where), len(self.mechanism.joints), self.mechanism.couplings
        report = self.refusable(lambda: self.mechanism.remove_joint(joint))
        if report is not None:
            assert len(self.mechanism.joints) == count - 1
            assert report.uncoupled == tuple(each for each in couplings if joint in each.joints)

    @precondition(lambda self: self.mechanism.joints)
    @rule(where=pick)
    def prefer(self, where: float) -> None:
        joint, names = self.joint(where), {joint.name for joint in self.mechanism.joints}
        report = self.refusable(lambda: self.mechanism.rebuild_spanning_tree([joint]))
        assert {joint.name for joint in self.mechanism.joints} == names
        assert report is None or self.mechanism.is_tree_joint(report.joint(joint))

    @precondition(lambda self: len(self.mechanism.bodies) > 6)
    @rule(where=pick)
    def remove_subtree(self, where: float) -> None:
        body = self.body(where)
        self.refusable(lambda: self.mechanism.remove_subtree(body))

    @precondition(lambda self: self.mechanism.joints)
    @rule(where=pick, joint_type=types)
    def replace(self, where: float, joint_type: JointType) -> None:
        old = self.joint(where)
        index = self.mechanism.joints.index(old)
        new = Joint(old.name if where < 0.5 else self.name("new"), joint_type)
        couplings = self.mechanism.couplings
        if self.refusable(lambda: self.mechanism.replace_joint(old, new) or True):
            assert self.mechanism.joints[index] is new
            for before, after in zip(couplings, self.mechanism.couplings, strict=True):
                assert after.joints == tuple(new if joint is old else joint for joint in before.joints)

    @rule()
    def merge(self) -> None:
        if self.refusable(self.mechanism.remove_fixed_joints) is not None:
            assert all(joint.nv for joint in self.mechanism.tree_joints)

    @rule(where=pick)
    def attach_mechanism(self, where: float) -> None:
        if len(self.mechanism.bodies) < 12:
            child = random_chain([Revolute((0, 1, 0)), QuaternionFloating()], self.rng)
            child.attach("body2", "world", Joint("back", Revolute((1, 0, 0))))
            self.mechanism.attach_mechanism(self.body(where), child, prefix=self.name("child") + "_")

    @rule()
    def go_on_with_a_copy(self) -> None:
        self.mechanism, _ = self.mechanism.copy()
        self.versions = (-1, -1)

    @rule(where=pick)
    def look_at_a_part(self, where: float) -> None:
        part, _ = self.mechanism.submechanism(self.body(where))
        invariants.check(part)
        found = self.refusable(self.mechanism.maximal_coordinates)
        assert (found is None) == bool(self.mechanism.couplings)
        if found is not None:
            invariants.check(found[0])

    @invariant()
    def promises_hold(self) -> None:
        if hasattr(self, "mechanism"):
            invariants.check(self.mechanism)
            versions = self.mechanism.structure_version, self.mechanism.parameter_version
            assert versions >= self.versions
            self.versions = versions


TestEdits = Edits.TestCase
TestEdits.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
