"""Values shown at the prompt and in notebooks: short text, at most a screen.

Results with many arrays show small ones as they are, of large ones the shape.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import attrs
import numpy as np
from numpy.typing import NDArray

_MAX_INLINE: Final = 8
"""Arrays of at most so many entries are shown whole."""
_MAX_ROWS: Final = 24
"""Lines of a table; of more, the first ones are shown."""


def fields_repr(self: Any) -> str:
    """Return a result of several arrays in one line; to be the `__repr__` of an attrs class.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.arm7())
    >>> rbd.step_derivatives(state, None, 0.01)
    StepDerivatives(q_by_q: (7, 7), q_by_v: (7, 7), ...)
    """
    kind: type[Any] = self.__class__
    parts = (f"{field.name}{_shown(getattr(self, field.name))}" for field in attrs.fields(kind) if field.repr)
    return f"{kind.__name__}({', '.join(parts)})"


def _shown(value: object) -> str:
    """Return the text of one field, after its name."""
    if isinstance(value, np.ndarray):
        array = cast("NDArray[Any]", value)
        return f"={numbers(array.tolist())}" if array.ndim == 1 and array.size <= _MAX_INLINE else f": {array.shape}"
    if isinstance(value, (tuple, list)):
        entries = cast("Sequence[object]", value)
        few = len(entries) <= _MAX_INLINE and all(isinstance(x, (int, float, str)) for x in entries)
        return f"={entries!r}" if few else f": {len(entries)} entries"
    return f"={value:.4g}" if isinstance(value, float) else f"={value!r}"


def numbers(values: Iterable[Any]) -> str:
    """Return scalars in brackets, floats to four digits.

    >>> numbers([0.5, 1 / 3])
    '[0.5, 0.3333]'
    """
    return "[" + ", ".join(f"{x:.4g}" if isinstance(x, (int, float)) else str(x) for x in values) + "]"


def table(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Return a title with a table of text below, its columns aligned; of long ones the first lines.

    >>> print(table("two joints", [("one", "[1]"), ("three", "[2]")]))
    two joints
      one    [1]
      three  [2]
    """
    shown = rows[:_MAX_ROWS]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in shown
    ]
    more = [f"  ... and {len(rows) - _MAX_ROWS} more"] if len(rows) > _MAX_ROWS else []
    return "\n".join([title, *lines, *more])


def preformatted(text: str) -> str:
    """Return text as HTML that keeps its lines: what notebooks show.

    >>> preformatted("a < b")
    '<pre>a &lt; b</pre>'
    """
    return f"<pre>{html.escape(text, quote=False)}</pre>"


def latex_name(name: str) -> str:
    r"""Return a name as LaTeX text.

    >>> latex_name("link_1")
    '\\mathrm{link\\_1}'
    """
    escaped = "".join("\\" + c if c in "_%&#${}" else c for c in name)
    return rf"\mathrm{{{escaped}}}"


def latex_matrix(rows: Iterable[Iterable[Any]]) -> str:
    r"""Return scalars as a LaTeX matrix.

    >>> print(latex_matrix([[1.0, 0.5]]))
    \begin{bmatrix}1 & 0.5\end{bmatrix}
    """
    lines = (" & ".join(f"{x:.4g}" if isinstance(x, (int, float)) else str(x) for x in row) for row in rows)
    inside = r" \\ ".join(lines)
    return rf"\begin{{bmatrix}}{inside}\end{{bmatrix}}"
