"""Fingerprint of a mechanism: a hash of everything that recordings depend on.

Two mechanisms with the same fingerprint have the same recorded programs, in any process. The hash covers structure,
joint types, the bits of all numbers, and all names, which occur in error messages. Frames are identified by their order
on their bodies.

A mechanism with joint types or contact models of users, or with parameters that are not plain numbers, has no
fingerprint.
"""

from __future__ import annotations

import functools
import hashlib
import struct
import sys
from collections.abc import Sequence
from typing import Any, cast, final
from weakref import WeakKeyDictionary

import attrs

from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mechanism.joint import JOINT_PARAMETERS
from rbd.mechanism.members import registry_of
from rbd.spatial import Frame

_Versions = tuple[int, int, int]
_fingerprints: WeakKeyDictionary[Mechanism, tuple[_Versions, str | None]] = WeakKeyDictionary()


def fingerprint(mechanism: Mechanism) -> str | None:
    """Return the current fingerprint of `mechanism` or None; computed once per version."""
    versions = _versions(mechanism)
    known = _fingerprints.get(mechanism)
    if known is None or known[0] != versions:
        known = _fingerprints[mechanism] = versions, _compute(mechanism)
    return known[1]


def _versions(mechanism: Mechanism) -> _Versions:
    """Return numbers that change with the fingerprint: versions, and numbers of frames, which have no version."""
    registry = registry_of(mechanism.root_body)
    frames = 0 if registry is None else len(registry.frame_owner)
    return mechanism.structure_version, mechanism.parameter_version, frames


def _compute(mechanism: Mechanism) -> str | None:
    try:
        writer = _Writer(mechanism.bodies)
        _write_mechanism(writer, mechanism)
        return writer.digest()
    except (_NotPlainError, KeyError, ValueError):  # also: a frame of another mechanism, an integer too long to print
        return None


def _write_mechanism(writer: _Writer, mechanism: Mechanism) -> None:
    """Write a mechanism, with bodies and joints in canonical order."""
    writer.put(("mechanism", len(mechanism.bodies), len(mechanism.tree_joints), len(mechanism.loop_joints)))
    writer.put(mechanism.gravity)
    for body in mechanism.bodies:
        _write_body(writer, body)
    for joint in mechanism.joints:
        _write_joint(writer, joint)
    writer.put(mechanism.half_spaces)
    for coupling in mechanism.couplings:
        source = None if coupling.source is None else coupling.source.name
        writer.put(("coupling", coupling.name, coupling.joint.name, source, coupling.coefficients))


def _write_body(writer: _Writer, body: RigidBody) -> None:
    """Write name, inertia, frames and contact points of a body; frames are numbered in the order of addition."""
    writer.put((body.name, body.inertia, len(body.frames)))
    for frame in body.frames:
        pose = body.fixed_transform(frame, body.default_frame)
        writer.put(frame.name)
        writer.put_floats(tuple(x for row in pose.rotation_components for x in row))
        writer.put_floats(pose.translation_components)
    writer.put(body.contact_points)


def _write_joint(writer: _Writer, joint: Joint) -> None:
    """Write name, frames (which define bodies and placements), type and parameters of a joint."""
    writer.put((joint.name, joint.frame_before, joint.frame_after, joint.type))
    for name in JOINT_PARAMETERS:
        writer.put(getattr(joint, name))


class _NotPlainError(Exception):
    """A part of the mechanism is not defined by rbd, or is not a plain number."""


@final
class _Writer:
    """Hashes values. The encoding is injective: every value is written with its type and length."""

    def __init__(self, bodies: Sequence[RigidBody]) -> None:
        """Set the bodies whose frames are identified by order."""
        self._places = {frame: (b, k) for b, body in enumerate(bodies) for k, frame in enumerate(body.frames)}
        self._words: list[object] = []
        self._numbers: list[float] = []

    def put(self, value: object) -> None:
        """Write a number, a string, None, a frame, an instance of an attrs class of rbd, or a tuple of these."""
        kind = type(value)
        if kind is float:
            self._words.append(float)
            self._numbers.append(cast("float", value))
        elif kind is int or kind is str or value is None:
            self._words.append(value)
        elif kind is tuple:
            self._put_tuple(cast("tuple[object, ...]", value))
        elif kind is Frame:
            self._words.append(("frame", self._places[cast("Frame", value)]))
        else:
            self._put_object(value)

    def put_floats(self, values: tuple[object, ...]) -> None:
        """Write a tuple, fast if all entries are floats."""
        if all(type(value) is float for value in values):
            self._words.append((len(values), float))
            self._numbers.extend(cast("tuple[float, ...]", values))
        else:
            self._put_tuple(values)

    def _put_tuple(self, values: tuple[object, ...]) -> None:
        self._words.append((len(values), tuple))
        for value in values:
            self.put(value)

    def _put_object(self, value: object) -> None:
        kind: type[Any] = type(value)
        self._words.append(kind)
        for name in _field_names(kind):  # type: ignore[arg-type]  # mypy looks for the hash of instances
            self.put(getattr(value, name))

    def digest(self) -> str:
        """Return the hash."""
        words = repr(self._words).encode(errors="surrogatepass")
        digest = hashlib.sha256(struct.pack("<QQ", len(words), len(self._numbers)))
        digest.update(words)
        digest.update(struct.pack(f"<{len(self._numbers)}d", *self._numbers))
        return digest.hexdigest()


@functools.cache
def _field_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the fields of a class of rbd; raise for other classes."""
    module = sys.modules.get(kind.__module__)
    is_own = kind.__module__.startswith("rbd.") and getattr(module, kind.__qualname__, None) is kind
    if not (is_own and attrs.has(kind)):
        raise _NotPlainError
    return tuple(field.name for field in attrs.fields(kind))
