"""Exceptions of rbd: a class hierarchy with codes and fields.

    RbdError
    ├── FrameMismatchError (ValueError)      an operand is expressed in the wrong frame
    ├── ShapeError (ValueError)              an array has the wrong shape or dtype
    ├── NotFiniteError (ValueError)          an input or a result is NaN or infinite
    ├── RotationError (ValueError)           a matrix or quaternion is not a rotation
    ├── InertiaError (ValueError)            an inertia is not physical
    ├── ArgumentError (ValueError)           an argument has a value or type that is not allowed
    ├── TopologyError (ValueError)           bodies and joints do not form a valid mechanism
    ├── UnknownNameError (KeyError)          no body, joint or frame has this name; suggests the closest
    ├── AmbiguousNameError (KeyError)        several bodies, joints or frames have this name
    ├── StaleStateError (RuntimeError)       the structure changed after the state was made
    ├── WrongThreadError (RuntimeError)      a thread uses a state of another thread
    ├── SingularError (ArithmeticError)      a matrix is singular
    ├── SolverError (RuntimeError)           a numerical solver failed
    ├── DivergedError (ArithmeticError)      a simulation diverged
    ├── WorkspaceError (MemoryError)         not enough memory for a workspace or for compilation
    ├── MissingPackageError (ModuleNotFoundError)  a package of an extra is not installed
    ├── ViewerError (RuntimeError)           a viewer cannot draw a picture
    ├── ScalarError (TypeError)              a scalar type does not support an operation
    │   └── RecordingError                   a function branches on a recorded value
    │       └── RecordingLimitError          a recording has too many operations to compile
    └── FileError (ValueError)               an error in a robot file; has .file .line .column .element
        ├── UrdfError                        an error in a URDF file
        │   ├── UrdfSyntaxError              not well-formed XML, or not UTF-8
        │   ├── UrdfRefusedError             a forbidden construct, or a limit exceeded
        │   ├── UrdfValueError               a number, name or attribute is invalid
        │   ├── UrdfTopologyError            links and joints do not form one tree
        │   └── UrdfPathError                a file is missing or outside its package
        └── MjcfError                        an error in an MJCF file
            ├── MjcfSyntaxError              not well-formed XML, or not UTF-8
            ├── MjcfRefusedError             a forbidden or unsupported construct, or a limit exceeded
            ├── MjcfValueError               a number, name or attribute is invalid
            ├── MjcfTopologyError            bodies and joints do not form a valid mechanism
            └── MjcfPathError                a file is missing or outside the model's directory

Every class has a stable `code`; `docs/errors.md` has a section per code.

In batches, an error is that of the first row that fails. With an `rbd.RowStatus` no row raises: it holds a status code
per row, and explains it in the words of the error.

    >>> import numpy as np, rbd
    >>> robot, status = rbd.compile(rbd.robots.double_pendulum()), rbd.RowStatus()
    >>> vd = robot.forward_dynamics([[0.1, 0.2], [np.inf, 0.0]], np.zeros(2), status=status)
    >>> status.failed, status.explain(1)
    (array([False,  True]), 'q[0] is not finite')
"""

from __future__ import annotations

from typing import ClassVar

_LONGEST_QUOTE = 80


def quoted(text: object) -> str:
    """Quote `text` for a message: at most 80 characters; control and bidirectional marks are escaped.

    A value that cannot be written, such as an integer of more digits than Python writes, is named by its type.
    """
    try:
        shown = str(text)
    except MemoryError:
        raise
    except Exception:  # an object's own `__str__` may raise anything
        shown = f"<{type(text).__name__}>"
    if len(shown) > _LONGEST_QUOTE:
        shown = shown[: _LONGEST_QUOTE - 1] + "…"
    return f"'{printable(shown)}'"


def printable(text: str) -> str:
    """Return `text` with control and bidirectional marks escaped, line breaks too."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class RbdError(Exception):
    """Base class of the exceptions of rbd.

    Keyword arguments become fields of the exception, so that programs need not parse messages:

    >>> from rbd.errors import ShapeError
    >>> error = ShapeError("q has 3 entries, needs 2", argument="q", expected=(2,), actual=(3,))
    >>> error.argument, error.expected, error.code
    ('q', (2,), 'shape')
    """

    code: ClassVar[str] = "rbd"

    def __init__(self, message: str, **fields: object) -> None:
        """Set the message and the fields."""
        super().__init__(message)
        self.message = message
        self.fields = fields

    def __getattr__(self, name: str) -> object:
        """Return a field; raise AttributeError for a field that was not set."""
        fields: dict[str, object] = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        raise AttributeError(f"{type(self).__name__} has no field {name!r}; it has {sorted(fields)}")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the fields, for process pools."""
        return _rebuild, (type(self), self.message, self.fields)

    def __str__(self) -> str:
        """Return the message (KeyError would quote it)."""
        return self.message


def _rebuild(kind: type[RbdError], message: str, fields: dict[str, object]) -> RbdError:
    return kind(message, **fields)


class FrameMismatchError(RbdError, ValueError):
    """An operand is expressed in the wrong frame. Fields: operation, argument, actual, expected (frames)."""

    code = "frame-mismatch"


class ShapeError(RbdError, ValueError):
    """An array has the wrong shape or dtype. Fields: argument, expected, actual."""

    code = "shape"


class NotFiniteError(RbdError, ValueError):
    """An input or a result is NaN or infinite. Fields: argument, index and, if known, joint."""

    code = "not-finite"


class RotationError(RbdError, ValueError):
    """A matrix or quaternion is not a rotation. Fields: argument, defect."""

    code = "rotation"


class InertiaError(RbdError, ValueError):
    """An inertia is not physical. Fields: reason and, if known, principal_moments, body."""

    code = "inertia"


class ArgumentError(RbdError, ValueError):
    """An argument has a value or type that is not allowed. Fields: argument, value, allowed."""

    code = "argument"


class TopologyError(RbdError, ValueError):
    """Bodies and joints do not form a valid mechanism. Fields: body, joint."""

    code = "topology"


class UnknownNameError(RbdError, KeyError):
    """No body, joint or frame has this name. Fields: kind, name, known, suggestion."""

    code = "unknown-name"


class AmbiguousNameError(RbdError, KeyError):
    """Several bodies, joints or frames have this name. Fields: kind, name."""

    code = "ambiguous-name"


class StaleStateError(RbdError, RuntimeError):
    """The structure of the mechanism changed after the state was made. Fields: made_with, now."""

    code = "stale-state"


class WrongThreadError(RbdError, RuntimeError):
    """A thread uses a state that another thread owns. Fields: owner, caller."""

    code = "wrong-thread"


class SingularError(RbdError, ArithmeticError):
    """A matrix is singular. Fields: what and, if known, joint, body."""

    code = "singular"


class SolverError(RbdError, RuntimeError):
    """A numerical solver failed. Fields: status and, in simulations, time."""

    code = "solver"


class DivergedError(RbdError, ArithmeticError):
    """A simulation diverged to values that are not finite. Fields: time, joint, q, v (the last finite state)."""

    code = "diverged"


class WorkspaceError(RbdError, MemoryError):
    """Not enough memory for a workspace or for compilation. Field: argument, the kernel or "machine code"."""

    code = "workspace"


class MissingPackageError(RbdError, ModuleNotFoundError):
    """A package of an extra is not installed. Fields: package, extra."""

    code = "missing-package"


class ViewerError(RbdError, RuntimeError):
    """A viewer cannot draw a picture: it is closed, or there is no browser, or none that answers. Field: url."""

    code = "viewer"


class ScalarError(RbdError, TypeError):
    """A scalar type does not support an operation. Fields: scalar, function."""

    code = "scalar"


class RecordingError(ScalarError):
    """A function branches on, compares or hashes a recorded value. Field: where."""

    code = "recording"


class RecordingLimitError(RecordingError):
    """A recording has more operations than can be compiled as one program. Fields: where, limit."""

    code = "recording-limit"


class FileError(RbdError, ValueError):
    """An error in a robot file. Fields: file, line, column, element."""

    code = "file"


class UrdfError(FileError):
    """An error in a URDF file."""

    code = "urdf"


class UrdfSyntaxError(UrdfError):
    """The file is not well-formed XML, or not UTF-8."""

    code = "urdf-syntax"


class UrdfRefusedError(UrdfError):
    """The file has a forbidden construct or exceeds a limit."""

    code = "urdf-refused"


class UrdfValueError(UrdfError):
    """A number, name or attribute is invalid."""

    code = "urdf-value"


class UrdfTopologyError(UrdfError):
    """Links and joints do not form one tree."""

    code = "urdf-topology"


class UrdfPathError(UrdfError):
    """A file is missing or outside its package."""

    code = "urdf-path"


class MjcfError(FileError):
    """An error in an MJCF file."""

    code = "mjcf"


class MjcfSyntaxError(MjcfError):
    """The file is not well-formed XML, or not UTF-8."""

    code = "mjcf-syntax"


class MjcfRefusedError(MjcfError):
    """The file has a forbidden or unsupported construct or exceeds a limit."""

    code = "mjcf-refused"


class MjcfValueError(MjcfError):
    """A number, name or attribute is invalid."""

    code = "mjcf-value"


class MjcfTopologyError(MjcfError):
    """Bodies and joints do not form a valid mechanism."""

    code = "mjcf-topology"


class MjcfPathError(MjcfError):
    """A file is missing or outside the model's directory."""

    code = "mjcf-path"
