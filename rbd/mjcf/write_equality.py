"""`<equality>` as text: loop joints as constraints between sites, couplings as constraints of joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from rbd.errors import quoted
from rbd.files.names import claim_name
from rbd.files.pose import Pose
from rbd.files.writing import element, floats, numbers_text, refusal
from rbd.joints import Revolute
from rbd.mechanism import Coupling, Joint, Mechanism
from rbd.mjcf.write_elements import constraint_tag
from rbd.mjcf.write_sites import SitesWriter, file_pose

_COEFFICIENTS: Final = 5


@final
class EqualityWriter:
    """Writes the constraints of a mechanism; the sites they need are added to those of the file."""

    def __init__(self, mechanism: Mechanism, sites: SitesWriter, *, strict: bool) -> None:
        self._mechanism = mechanism
        self._sites = sites
        self._strict = strict
        self._names: set[str] = set()

    def lines(self) -> list[str]:
        """Return a line per constraint."""
        loops = [line for joint in self._mechanism.loop_joints for line in self._loop(joint)]
        return loops + [line for coupling in self._mechanism.couplings for line in self._coupling(coupling)]

    def _loop(self, joint: Joint) -> Iterator[str]:
        """Yield the constraints that close a loop: two points of its axis stay together for a revolute joint."""
        tag = constraint_tag(joint, strict=self._strict)
        yield self._constraint(joint, tag, joint.name, Pose())
        if isinstance(joint.type, Revolute):
            x, y, z = joint.type.axis
            yield self._constraint(joint, tag, f"{joint.name}#axis", Pose(translation=(x, y, z)))

    def _constraint(self, joint: Joint, tag: str, name: str, pose: Pose) -> str:
        """Return a constraint between two sites, which have that pose in the frames before and after a joint."""
        predecessor, successor = self._mechanism.predecessor(joint), self._mechanism.successor(joint)
        ends = [(predecessor, joint.frame_before), (successor, joint.frame_after)]
        ends.sort(key=lambda end: end[0] is not self._mechanism.root_body)  # the reader puts the world first
        self._names.add(name)
        site1, site2 = (
            self._sites.add(body, file_pose(body, frame) @ pose, f"{name}#{which}")
            for (body, frame), which in zip(ends, ("before", "after"), strict=True)
        )
        return element(tag, {"name": name, "site1": site1, "site2": site2})

    def _coupling(self, coupling: Coupling) -> Iterator[str]:
        """Yield the constraint that a coupling is; raise ArgumentError when its polynomial is too long."""
        if len(coupling.coefficients) > _COEFFICIENTS:
            if self._strict:
                message = f"MJCF has no polynomials of degree {len(coupling.coefficients) - 1}, as that of coupling"
                raise refusal(coupling.joint, f"{message} {quoted(coupling.name)}; strict=False leaves it out")
            return
        ends = {"joint1": coupling.joint.name}
        if coupling.source is not None:
            ends["joint2"] = coupling.source.name
        # All coefficients of the format: those it takes for missing ones are not zero.
        coefficients = [*floats(coupling.coefficients), *[0.0] * (_COEFFICIENTS - len(coupling.coefficients))]
        name = claim_name(coupling.name, self._names)
        yield element("joint", {"name": name, **ends, "polycoef": numbers_text(coefficients)})
