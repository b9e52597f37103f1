"""Exceptions: hierarchy, codes, fields, pickling."""

from __future__ import annotations

import copy
import inspect
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd import errors
from rbd.errors import RbdError, ShapeError, UnknownNameError, UrdfValueError, quoted

KINDS = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, RbdError)]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda c: c.__name__)


def drawn() -> dict[str, tuple[str, str | None]]:
    """The tree of the module's docstring: class -> (parent, built-in kind)."""
    assert errors.__doc__
    tree: dict[str, tuple[str, str | None]] = {}
    path: list[str] = []
    for line in errors.__doc__.splitlines():
        found = re.match(r"    ([│├└─ ]*)(\w+Error)(?: \((\w+)\))?", line)
        if found:
            branch, name, builtin = found.groups()
            depth = len(branch) // 4
            path[depth:] = [name]
            tree[name] = path[depth - 1] if depth else "Exception", builtin
    return tree


def test_module_docstring_lists_every_class() -> None:
    assert set(drawn()) == {kind.__name__ for kind in KINDS}


@each_kind
def test_module_docstring_shows_the_class_hierarchy(kind: type[RbdError]) -> None:
    parent, builtin = drawn()[kind.__name__]
    bases = [base.__name__ for base in kind.__bases__]
    assert bases == [parent, *([builtin] if builtin else [])]


def test_codes_are_stable_names() -> None:
    codes = [kind.code for kind in KINDS]
    assert len(set(codes)) == len(codes)
    for kind in KINDS:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.code)
        assert kind is RbdError or "code" in vars(kind)


@each_kind
def test_fields_are_attributes(kind: type[RbdError]) -> None:
    error = kind("it failed", argument="q", expected=(2,))
    assert (error.message, str(error), error.args) == ("it failed", "it failed", ("it failed",))
    assert (error.argument, error.expected) == ("q", (2,))
    assert error.fields == {"argument": "q", "expected": (2,)}
    with pytest.raises(AttributeError, match=r"no field 'joint'.*argument"):
        _ = error.joint
    assert not hasattr(error, "joint")


@each_kind
def test_errors_can_be_copied_and_pickled(kind: type[RbdError]) -> None:
    error = kind("it failed", argument="q", index=(1, 2))
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(twin) is kind
        assert (str(twin), twin.fields, twin.code) == (str(error), error.fields, error.code)


@each_kind
def test_every_class_has_a_docstring(kind: type[RbdError]) -> None:
    assert kind.__doc__
    assert kind is RbdError or kind.__doc__ != kind.__mro__[1].__doc__


def test_errors_are_caught_as_their_built_in_classes() -> None:
    with pytest.raises(ValueError, match="wrong"):
        raise ShapeError("wrong shape")
    with pytest.raises(KeyError) as caught:
        raise UnknownNameError("no joint 'a'")
    assert str(caught.value) == "no joint 'a'"  # KeyError itself would quote it
    with pytest.raises(errors.UrdfError):
        raise UrdfValueError("no number", file="robot.urdf", line=3)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("arm", "'arm'"),
        (3, "'3'"),
        ("a\nb", r"'a\nb'"),
        ("a\x1b[31mb", r"'a\x1b[31mb'"),
        ("\u202egnp", r"'\u202egnp'"),
        ("é", "'é'"),
        ("x" * 80, "'" + "x" * 80 + "'"),
        ("x" * 81, "'" + "x" * 79 + "…'"),
    ],
)
def test_quoted(text: object, shown: str) -> None:
    assert quoted(text) == shown


@given(st.text())
def test_quoted_text_is_printable(text: str) -> None:
    assert quoted(text).isprintable()
