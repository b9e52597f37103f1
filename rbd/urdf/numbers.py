"""Numbers in robot files: one ASCII grammar, the same under every locale.

`float()` alone would also read `nan`, `infinity`, `1_000` and digits of other scripts; other readers take `1,5` for 1
or for 1.5. Here a number is an optional sign, decimal digits with at most one point, and an optional exponent.
"""

from __future__ import annotations

import math
import re
from typing import Final

from rbd.errors import UrdfValueError, quoted
from rbd.urdf.xml import Node, fault

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_BLANKS: Final = re.compile(r"[ \t\r\n]+")
_LONGEST: Final = 128
_XML_BLANKS: Final = " \t\r\n"


class _NumberFault(Exception):
    """Why a text is no number."""


def parse_number(text: str) -> float:
    """Return the number `text` spells; raise UrdfValueError (without a place) when it spells none.

    >>> from rbd.urdf.numbers import parse_number
    >>> parse_number(" -1.5e3 ")
    -1500.0
    """
    try:
        return _number(text.strip(_XML_BLANKS))
    except _NumberFault as error:
        raise UrdfValueError(str(error), file=None, line=None, column=None, element=None) from None


def _number(token: str) -> float:
    if len(token) > _LONGEST:
        raise _NumberFault(f"{quoted(token)} is longer than {_LONGEST} characters")
    if not _NUMBER.match(token):
        raise _NumberFault(f"{quoted(token)} is no number{_hint(token)}")
    value = float(token)
    if math.isinf(value):
        raise _NumberFault(f"{quoted(token)} is too large for a 64-bit float")
    return value


def _hint(token: str) -> str:
    if "${" in token or "$(" in token:
        return ": this file is a xacro template; expand it with xacro first"
    if "," in token:
        return ": write a decimal point, and blanks between numbers"
    return ", such as 1.5 or -2e-3"


def number(file: str, node: Node, attribute: str, default: float | None = None) -> float:
    """Return the number in `attribute` of `node`; without `default` the attribute must be there."""
    return vector(file, node, attribute, 1, None if default is None else (default,))[0]


def vector(
    file: str, node: Node, attribute: str, count: int, default: tuple[float, ...] | None = None
) -> tuple[float, ...]:
    """Return the `count` blank-separated numbers in `attribute` of `node`."""
    text = node.attributes.get(attribute)
    if text is None:
        if default is not None:
            return default
        raise fault(UrdfValueError, file, node, f"attribute {attribute!r} is missing", attribute=attribute)
    try:
        return _numbers(text.strip(_XML_BLANKS), count)
    except _NumberFault as error:
        raise fault(UrdfValueError, file, node, f"{attribute}: {error}", attribute=attribute, value=text) from None


def _numbers(text: str, count: int) -> tuple[float, ...]:
    tokens = _BLANKS.split(text, maxsplit=count) if text else []
    values = tuple(_number(token) for token in tokens[:count])
    if len(tokens) != count:
        found = "more" if len(tokens) > count else str(len(tokens))
        raise _NumberFault(f"needs {count} number{'s' if count > 1 else ''}, has {found}: {quoted(text)}")
    return values
