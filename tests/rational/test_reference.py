"""Against the numbers of Drake 1.51.1: values, coefficient tables, indices, and its table of errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _pytest.mark.structures import ParameterSet

from rbd import (
    Joint,
    JointType,
    Mechanism,
    MechanismState,
    Planar,
    QuaternionFloating,
    QuaternionSpherical,
    RigidBody,
    RotationVectorSpherical,
    Screw,
    Universal,
)
from rbd.errors import ArgumentError, StaleStateError
from rbd.rational import Polynomial, RationalForwardKinematics
from rbd.scalars.arrays import Array
from tests.rational.models import described

DATA = Path(__file__).parents[1] / "data" / "rational"
FILES = ["planar2r", "pendulum_on_rail"]
NAMES = ["R00", "R01", "R02", "p0", "R10", "R11", "R12", "p1", "R20", "R21", "R22", "p2"]


def load(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return record


def poses() -> list[ParameterSet]:
    """Return (file, sample, pose) of every recorded pose."""
    found: list[ParameterSet] = []
    for name in FILES:
        for i, sample in enumerate(load(name)["samples"]):
            found += [pytest.param(name, i, k, id=f"{name}-{i}-{k}") for k in range(len(sample["poses"]))]
    return found


def matrix(record: dict[str, Any], kind: str) -> Array:
    return np.hstack([np.reshape(record[f"R_{kind}"], (3, 3)), np.reshape(record[f"p_{kind}"], (3, 1))])


def table(p: Polynomial, angles: list[int]) -> dict[frozenset[str], float]:
    """Return the coefficients as the files name them: Drake counts cosines and sines by angle, not by s."""

    def drake(name: str) -> str:
        kind, index = name.rstrip("]").split("[")
        return name if kind == "s" else f"{kind}_delta[{angles.index(int(index))}]"

    return {frozenset(f"{drake(name)}^{e}" for name, e in monomial): float(c) for monomial, c in p.terms.items()}


def assert_table(p: Polynomial, recorded: dict[str, float], angles: list[int]) -> None:
    ours = table(p, angles)
    theirs = {frozenset(k.split()) - {"1"}: c for k, c in recorded.items() if abs(c) > 1e-12}
    assert ours.keys() == theirs.keys()
    for monomial, c in theirs.items():
        assert ours[monomial] == pytest.approx(c, abs=1e-12, rel=0)


@pytest.mark.parametrize(("name", "sample", "pose"), poses())
def test_poses_agree_with_drake(name: str, sample: int, pose: int) -> None:
    file = load(name)
    mechanism = described(file)
    kinematics = RationalForwardKinematics(mechanism)
    given = file["samples"][sample]
    record = given["poses"][pose]
    found = kinematics.pose_polynomial(
        given["q_star"], mechanism.body(record["body"]), mechanism.body(record["expressed"])
    )
    rational = kinematics.rational(found)
    s = np.array(given["s"])
    for value in (found(s).matrix[:3], rational(s).matrix[:3], found.evaluate(s)[:3]):
        np.testing.assert_allclose(value, matrix(record, "fk"), rtol=0, atol=1e-12)
    angles = [file["s_index"][j["name"]] for j in file["joints"] if j["type"] == "revolute"]
    flat = [entry for row in found.entries for entry in row]
    flat_rational = [entry for row in rational.entries for entry in row]
    assert [len(p.terms) for p in flat] == record["terms_multilinear_12"]
    assert [len(r.numerator.terms) for r in flat_rational] == record["terms_numerator_12"]
    for entry, p, r in zip(NAMES, flat, flat_rational, strict=True):
        tables = record["polynomials"][entry]
        assert_table(p, tables["multilinear"], angles)
        assert_table(r.numerator, tables["num"], angles)
        assert_table(r.denominator, tables["den"], angles)


@pytest.mark.parametrize("name", FILES)
def test_variables_agree_with_drake(name: str) -> None:
    file = load(name)
    mechanism = described(file)
    kinematics = RationalForwardKinematics(mechanism)
    assert {joint.name: kinematics.s_index(joint) for joint in mechanism.joints} == file["s_index"]
    assert kinematics.s_names == tuple(f"s[{i}]" for i in range(len(file["samples"][0]["s"])))
    for sample in file["samples"]:
        s = kinematics.compute_s(sample["q"], sample["q_star"])
        np.testing.assert_allclose(s, sample["s"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(
            kinematics.compute_q(sample["s"], sample["q_star"]), sample["q_back"], rtol=0, atol=1e-12
        )


# --- the table of errors: what Drake refuses --------------------------------------------------------------------------

SUPPORTED_HERE: dict[str, list[JointType]] = {
    "free body (quaternion floating)": [QuaternionFloating()],
    "ball_rpy": [QuaternionSpherical(), RotationVectorSpherical()],
    "planar": [Planar((1, 0, 0), (0, 1, 0))],
    "universal": [Universal((1, 0, 0), (0, 1, 0))],
}


def one_joint(joint_type: JointType) -> Mechanism:
    mechanism = Mechanism()
    mechanism.attach(mechanism.root_body, RigidBody("body"), Joint("the joint", joint_type))
    return mechanism


def test_every_case_of_the_error_table_is_covered() -> None:
    cases = set(load("errors")["constructor"])
    assert cases == {*SUPPORTED_HERE, "screw", "plant not finalized"}


@pytest.mark.parametrize(
    "joint_type", [kind for kinds in SUPPORTED_HERE.values() for kind in kinds], ids=lambda kind: type(kind).__name__
)
def test_joints_that_drake_does_not_support(joint_type: JointType) -> None:
    mechanism = one_joint(joint_type)
    kinematics, rng = RationalForwardKinematics(mechanism), np.random.default_rng(3)
    q, q_star = joint_type.random(rng), joint_type.random(rng)
    pose = kinematics.pose_polynomial(q_star, mechanism.body("body"))
    expected = MechanismState(mechanism, q).transform_to_root(mechanism.body("body")).matrix
    s = kinematics.compute_s(q, q_star)
    np.testing.assert_allclose(pose(s).matrix, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(kinematics.rational(pose)(s).matrix, expected, rtol=0, atol=1e-12)


def test_error_for_screws_names_the_joint() -> None:
    with pytest.raises(ArgumentError, match=r"mechanism: .*'the joint' \(Screw\)") as caught:
        RationalForwardKinematics(one_joint(Screw((0, 0, 1), 0.1)))
    assert caught.value.argument == "mechanism"
    assert caught.value.joint == "the joint"


def test_mechanism_must_be_a_mechanism() -> None:
    with pytest.raises(ArgumentError) as caught:
        RationalForwardKinematics(None)  # type: ignore[arg-type]  # the point of the test
    assert caught.value.argument == "mechanism"


def test_edited_mechanisms_raise() -> None:
    mechanism = one_joint(QuaternionFloating())
    kinematics = RationalForwardKinematics(mechanism)
    mechanism.attach(mechanism.root_body, RigidBody("another"), Joint("another", QuaternionFloating()))
    for use in (
        lambda: kinematics.pose_polynomial(np.zeros(7), mechanism.body("body")),
        lambda: kinematics.s_index("another"),
        lambda: kinematics.compute_s(np.zeros(14), np.zeros(14)),
        lambda: kinematics.compute_q(np.zeros(12), np.zeros(14)),
    ):
        with pytest.raises(StaleStateError) as caught:
            use()
        assert caught.value.now > caught.value.made_with
