"""Arrays of q or v, indexed by joints, and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final

from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from rbd.display import numbers, table
from rbd.errors import ShapeError
from rbd.indexing.layout import Layout
from rbd.mechanism import Joint
from rbd.scalars.entries import any_array


@final
class JointValues(Mapping[Joint, NDArray[Any]]):
    """An array with one entry per coordinate or per velocity, indexed by joints or their names.

    Entries are views of the array: `values[joint] = x` writes to it. Arrays may have leading batch axes.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum())
    >>> tau = state.by_joint([0.0, 0.0])
    >>> tau["elbow"] = 0.5
    >>> tau.array, tau["elbow"]
    (array([0. , 0.5]), array([0.5]))
    """

    def __init__(self, layout: Layout, values: ArrayLike) -> None:
        """Wrap `values`; raise ShapeError unless the last axis has nq or nv entries."""
        self.array: NDArray[Any] = any_array(values, "values")
        self._layout = layout
        size = self.array.shape[-1] if self.array.ndim else -1
        if size not in (layout.nq, layout.nv):
            raise ShapeError(
                f"values has shape {self.array.shape}; the last axis needs {layout.nq} entries, one per coordinate, or "
                f"{layout.nv}, one per velocity",
                argument="values",
                expected=(layout.nq, layout.nv),
                actual=self.array.shape,
            )
        self._is_velocity = size == layout.nv  # where nq = nv, slices of q and v are the same

    @override
    def __getitem__(self, joint: Joint | str) -> NDArray[Any]:
        node = self._layout.node(joint)
        view: NDArray[Any] = self.array[..., node.v_slice if self._is_velocity else node.q_slice]
        return view

    def __setitem__(self, joint: Joint | str, value: ArrayLike) -> None:
        """Write entries; raise ShapeError unless `value` has their shape, that of one row, or is one number for all."""
        target, entries = self[joint], any_array(value, "value")
        if entries.shape not in ((), target.shape[-1:], target.shape):
            raise self._unfit(target, entries, f"its shape is {entries.shape}")
        try:
            target[...] = entries
        except (TypeError, ValueError) as error:
            raise self._unfit(target, entries, str(error)) from error

    @staticmethod
    def _unfit(target: NDArray[Any], entries: NDArray[Any], reason: str) -> ShapeError:
        message = f"value cannot be written to entries of shape {target.shape}: {reason}"
        return ShapeError(message, argument="value", expected=target.shape, actual=entries.shape)

    @override
    def __iter__(self) -> Iterator[Joint]:
        return (node.joint for node in self._layout.nodes)

    @override
    def __len__(self) -> int:
        return len(self._layout.nodes)

    @override
    def __repr__(self) -> str:
        return "\n".join(f"{joint.name}: {values}" for joint, values in self.items() if values.shape[-1])


def joint_table(kind: str, layout: Layout, values: Mapping[str, Sequence[Any]], remark: str = "") -> str:
    """Return arrays of q or v, by their names, as text: a line of sizes, then a line per joint."""
    sizes = f"nq = {layout.nq}, nv = {layout.nv}" + (f", nc = {layout.nc}" if layout.is_constrained else "")
    title = f"{kind} of {layout.bodies[0].name!r}: {len(layout.bodies)} bodies, {sizes}{remark}"
    columns = {name: tuple(x) for name, x in values.items()}
    rows: list[list[str]] = []
    for node in layout.nodes:
        parts = ((name, column[node.q_slice if name == "q" else node.v_slice]) for name, column in columns.items())
        if node.joint.nv:
            rows.append([node.joint.name, *(f"{name} = {numbers(part)}" for name, part in parts)])
    return table(title, rows)
