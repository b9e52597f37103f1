"""The exceptions of rbd: one tree, fields instead of prose, picklable.

    RbdError
    ├── FrameMismatchError (ValueError)      frames do not fit: says which argument, both frames, what would fit
    ├── ShapeError (ValueError)              an array has the wrong shape or dtype
    ├── NotFiniteError (ValueError)          an input holds NaN or infinity
    ├── RotationError (ValueError)           a matrix or quaternion is no rotation
    ├── InertiaError (ValueError)            an inertia no physical body can have
    ├── ArgumentError (ValueError)           an argument is outside its documented values
    ├── TopologyError (ValueError)           bodies and joints do not form a legal mechanism
    ├── UnknownNameError (KeyError)          no body, joint or frame of that name; suggests the closest
    ├── AmbiguousNameError (KeyError)        several bodies, joints or frames of that name
    ├── StaleStateError (RuntimeError)       the mechanism was edited after the state was made
    ├── WrongThreadError (RuntimeError)      a state is used by a thread that does not own it
    ├── SingularError (ArithmeticError)      a matrix that must be inverted cannot be
    ├── SolverError (RuntimeError)           a numerical solver gave up
    ├── DivergedError (ArithmeticError)      a simulation left the finite numbers
    ├── WorkspaceError (MemoryError)         there is no memory for a kernel's workspace, or for compiling it
    ├── ScalarError (TypeError)              a scalar type cannot do what was asked of it
    │   └── RecordingError                   an algorithm branched on a recorded value
    │       └── RecordingLimitError          a recording has more operations than can be compiled
    └── UrdfError (ValueError)               a robot file is refused; has .file .line .column .element
        ├── UrdfSyntaxError                  not well-formed XML, or not UTF-8
        ├── UrdfRefusedError                 a forbidden construct, or a limit exceeded
        ├── UrdfValueError                   a number, name or attribute is not legal
        ├── UrdfTopologyError                links and joints do not form one tree
        └── UrdfPathError                    a file is missing or outside its package

Every class has a stable `code`; the documentation has one section per code.
"""

from __future__ import annotations

from typing import ClassVar

_LONGEST_QUOTE = 80


def quoted(text: object) -> str:
    """Return `text` quoted for a message: at most 80 characters, control and bidirectional marks escaped."""
    shown = str(text)
    if len(shown) > _LONGEST_QUOTE:
        shown = shown[: _LONGEST_QUOTE - 1] + "…"
    return "'" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown) + "'"


class RbdError(Exception):
    """Base of every error rbd raises on purpose.

    Keyword arguments become fields of the error, so that programs need not parse messages:

    >>> from rbd.errors import ShapeError
    >>> error = ShapeError("q has 3 entries, needs 2", argument="q", expected=(2,), actual=(3,))
    >>> error.argument, error.expected, error.code
    ('q', (2,), 'shape')
    """

    code: ClassVar[str] = "rbd"

    def __init__(self, message: str, **fields: object) -> None:
        """Keep the message and the fields."""
        super().__init__(message)
        self.message = message
        self.fields = fields

    def __getattr__(self, name: str) -> object:
        """Look a field up; fields an error was made without are None-free: they raise as attributes do."""
        fields: dict[str, object] = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        raise AttributeError(f"{type(self).__name__} has no field {name!r}; it has {sorted(fields)}")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the fields, so that errors survive process pools."""
        return _rebuild, (type(self), self.message, self.fields)

    def __str__(self) -> str:
        """Show the message (KeyError would quote it)."""
        return self.message


def _rebuild(kind: type[RbdError], message: str, fields: dict[str, object]) -> RbdError:
    return kind(message, **fields)


class FrameMismatchError(RbdError, ValueError):
    """Frames do not fit. Fields: operation, argument, actual, expected (frames)."""

    code = "frame-mismatch"


class ShapeError(RbdError, ValueError):
    """An array has the wrong shape or dtype. Fields: argument, expected, actual."""

    code = "shape"


class NotFiniteError(RbdError, ValueError):
    """An input holds NaN or infinity. Fields: argument, index and, where known, joint."""

    code = "not-finite"


class RotationError(RbdError, ValueError):
    """A matrix or quaternion is no rotation. Fields: argument, defect."""

    code = "rotation"


class InertiaError(RbdError, ValueError):
    """No physical body has this inertia. Fields: reason and, where known, principal_moments, body."""

    code = "inertia"


class ArgumentError(RbdError, ValueError):
    """An argument is outside its documented values. Fields: argument, value, allowed."""

    code = "argument"


class TopologyError(RbdError, ValueError):
    """Bodies and joints do not form a legal mechanism. Fields: body, joint."""

    code = "topology"


class UnknownNameError(RbdError, KeyError):
    """No such name. Fields: kind, name, known, suggestion."""

    code = "unknown-name"


class AmbiguousNameError(RbdError, KeyError):
    """Several things have this name. Fields: kind, name."""

    code = "ambiguous-name"


class StaleStateError(RbdError, RuntimeError):
    """The mechanism was edited after the state was made. Fields: made_with, now."""

    code = "stale-state"


class WrongThreadError(RbdError, RuntimeError):
    """A state is used by a thread that does not own it. Fields: owner, caller."""

    code = "wrong-thread"


class SingularError(RbdError, ArithmeticError):
    """A matrix that must be inverted cannot be. Fields: what and, where known, joint, body."""

    code = "singular"


class SolverError(RbdError, RuntimeError):
    """A numerical solver gave up. Fields: status."""

    code = "solver"


class DivergedError(RbdError, ArithmeticError):
    """A simulation left the finite numbers. Fields: time, joint, q, v (the last good state)."""

    code = "diverged"


class WorkspaceError(RbdError, MemoryError):
    """There is no memory for a kernel's workspace, or for compiling. Field: argument, the kernel or what is missing."""

    code = "workspace"


class ScalarError(RbdError, TypeError):
    """A scalar type cannot do what was asked. Fields: scalar, function."""

    code = "scalar"


class RecordingError(ScalarError):
    """An algorithm branched on, compared or hashed a recorded value. Fields: where."""

    code = "recording"


class RecordingLimitError(RecordingError):
    """A recording has more operations than can be compiled in one piece. Fields: where, limit."""

    code = "recording-limit"


class UrdfError(RbdError, ValueError):
    """A robot file is refused. Fields: file, line, column, element."""

    code = "urdf"


class UrdfSyntaxError(UrdfError):
    """The file is not well-formed XML, or not UTF-8."""

    code = "urdf-syntax"


class UrdfRefusedError(UrdfError):
    """The file uses a forbidden construct or exceeds a limit."""

    code = "urdf-refused"


class UrdfValueError(UrdfError):
    """A number, name or attribute is not legal."""

    code = "urdf-value"


class UrdfTopologyError(UrdfError):
    """Links and joints do not form one tree."""

    code = "urdf-topology"


class UrdfPathError(UrdfError):
    """A file is missing or outside its package."""

    code = "urdf-path"
