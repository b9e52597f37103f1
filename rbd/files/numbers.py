"""Numbers in robot files: one ASCII grammar, the same under every locale.

`float()` alone would also read `nan`, `infinity`, `1_000` and digits of other scripts; other readers take `1,5` for 1
or for 1.5. Here a number is an optional sign, decimal digits with at most one point, and an optional exponent.
"""

from __future__ import annotations

import math
import re
from typing import Final

from rbd.errors import quoted
from rbd.files.formats import Format
from rbd.files.xml import XmlElement, error_in

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_BLANKS: Final = re.compile(r"[ \t\r\n]+")
_MAX_LENGTH: Final = 128
_XML_BLANKS: Final = " \t\r\n"


class NumberFault(Exception):
    """Why a text is no number."""


def number_of(token: str) -> float:
    """Return the number a token spells; raise NumberFault when it spells none.

    >>> from rbd.files.numbers import number_of
    >>> number_of("-1.5e3")
    -1500.0
    """
    if len(token) > _MAX_LENGTH:
        raise NumberFault(f"{quoted(token)} is longer than {_MAX_LENGTH} characters")
    if not _NUMBER.match(token):
        raise NumberFault(f"{quoted(token)} is no number{_hint(token)}")
    value = float(token)
    if math.isinf(value):
        raise NumberFault(f"{quoted(token)} is too large for a 64-bit float")
    return value


def _hint(token: str) -> str:
    if "${" in token or "$(" in token:
        return ": this file is a xacro template; expand it with xacro first"
    if "," in token:
        return ": write a decimal point, and blanks between numbers"
    return ", such as 1.5 or -2e-3"


def numbers_in(
    file_format: Format,
    node: XmlElement,
    attribute: str,
    min_count: int,
    max_count: int,
    default: tuple[float, ...] | None = None,
) -> tuple[float, ...]:
    """Return the `min_count` to `max_count` blank-separated numbers in `attribute`; it must be there without `default`.

    Raises the format's value error, with the line of `node`.
    """
    text = node.attributes.get(attribute)
    if text is None:
        if default is not None:
            return default
        raise error_in(file_format.value_error, node, f"attribute {attribute!r} is missing", attribute=attribute)
    try:
        return _numbers(text.strip(_XML_BLANKS), min_count, max_count)
    except NumberFault as error:
        raise error_in(
            file_format.value_error, node, f"{attribute}: {error}", attribute=attribute, value=text
        ) from None


def _numbers(text: str, min_count: int, max_count: int) -> tuple[float, ...]:
    tokens = _BLANKS.split(text, maxsplit=max_count) if text else []
    values = tuple(number_of(token) for token in tokens[:max_count])
    if not min_count <= len(tokens) <= max_count:
        needed = f"{min_count}" if min_count == max_count else f"{min_count} to {max_count}"
        has = "more" if len(tokens) > max_count else str(len(tokens))
        raise NumberFault(f"needs {needed} number{'s' if max_count > 1 else ''}, has {has}: {quoted(text)}")
    return values
