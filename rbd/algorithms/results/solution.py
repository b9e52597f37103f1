"""Solutions of the equations of motion: the kernels that compute the arrays of a result, and calls of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, final

import attrs
from typing_extensions import override

from rbd.engine.live_engine import LiveEngine
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import Kernel
from rbd.kinematics.queries import State
from rbd.scalars import Scalar
from rbd.spatial import Wrench

if TYPE_CHECKING:
    from rbd.algorithms.results.dynamics_result import DynamicsResult

COPIED_ARRAYS: Final[tuple[str, ...]] = ("q", "v", "vd", "multipliers", "rank")
"""The arrays of which a solution has copies, independent of writes of callers to the result."""
SOLVED_ARRAYS: Final[tuple[str, ...]] = (
    "qd",
    "vd",
    "mass_matrix",
    "dynamics_bias",
    "passive_torques",
    "constraint_jacobian",
    "constraint_bias",
    "multipliers",
    "sd",
)
"""The arrays of a result besides the motion it belongs to: outputs of a recorded function that returns a result."""
ContactWrenches = Sequence["Wrench[Any] | None"]
"""Wrenches of contacts, one per body in its frame, None where there is no contact point; empty without contacts."""


@final
@attrs.frozen(eq=False)
class ResultKernel:
    """A kernel of torques and external wrenches whose outputs are arrays of a result."""

    kernel: Kernel[..., Any]
    names: tuple[str, ...]
    """The arrays of the result for the outputs."""


@final
@attrs.frozen(eq=False)
class Solution:
    """A solution, as stored by a result."""

    copies: Mapping[str, Any]
    """Copies of q, v and vd, and of multipliers and rank of constraints, by name."""
    external_wrenches: Any
    """A mapping, or as kernels take them."""
    parameter_version: int
    """The version of the mechanism's parameters."""
    contacts: ContactWrenches = ()


@final
@attrs.frozen(eq=False)
class ResultCall(Call["DynamicsResult"]):
    """The call that `dynamics` returns: a kernel with arguments, for a state."""

    result_kernel: ResultKernel
    state: State[Any]
    args: tuple[Any, ...]
    external_wrenches: object = None
    frames: Mapping[Any, Any] = attrs.field(factory=dict[Any, Any])
    """The bodies with external wrenches, or their names, with the frames of the wrenches."""
    contacts: ContactWrenches = ()
    further_arrays: Mapping[str, Sequence[Scalar]] = attrs.field(factory=dict[str, "Sequence[Scalar]"])
    """Further arrays of the result, by name."""

    @override
    def run(self, owner: DynamicsResult, key: object = None, array_count: int = 0) -> DynamicsResult:
        """Solve, and write a result; open a fast path under `key` once there is machine code."""
        result = owner
        engine = self.state.engine
        shapes = {name.replace("_", " "): result.writer.arrays[name].shape for name in self.result_kernel.names}
        arrays = engine.run(self.state, KernelCall(self.result_kernel.kernel, self.args, shapes, self._by_name))
        result.store(self.state, {**arrays, **self.further_arrays}, self.external_wrenches, self.contacts)
        if key is not None and not self.contacts and isinstance(engine, LiveEngine):
            recorded = engine.compiled(self.result_kernel.kernel, self.args)
            if recorded is not None and recorded.array_argument_count == array_count:
                result.writer.open_fast_path(key, engine, recorded, self)
        return result

    def _by_name(self, *arrays: Any) -> Mapping[str, Any]:
        return dict(zip(self.result_kernel.names, arrays, strict=True))
