"""Options of calls of compiled robots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import attrs
from numpy.typing import ArrayLike

from rbd.compiled.evaluation import Result
from rbd.compiled.function import RecordedFunction
from rbd.compiled.parameter_checks import check_parameters
from rbd.compiled.row_status import RowStatus
from rbd.scalars.arrays import Array


@final
@attrs.frozen(eq=False)
class CallOptions:
    """Options of a call: output arrays, threads, status, parameters of the mechanism; see `CompiledRobot`."""

    out: Array | Sequence[Array] | None
    threads: int
    status: RowStatus | None
    parameters: Mapping[str, ArrayLike]

    def __attrs_post_init__(self) -> None:
        if self.parameters:
            check_parameters(self.parameters)

    def call(self, function: RecordedFunction, arrays: Sequence[ArrayLike]) -> Result:
        """Return the outputs of a function of arrays."""
        return function.call(arrays, self.parameters, self.out, self.threads, self.status)
