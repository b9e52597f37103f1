"""Recording of kernels: the program of a kernel for templates of its arguments, and the form of its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, final

import numpy as np

from rbd.kernels.kernel import Kernel
from rbd.mechanism import Mechanism
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.pytrees.flattening import flatten
from rbd.pytrees.templates import NUMBER, Template
from rbd.recorder.record_program import run_recorded
from rbd.recorder.result_form import ResultForm, recorded_result
from rbd.scalar_states.parameter_arrays import ParameterName
from rbd.scalars.arrays import Array

Templates: TypeAlias = tuple[Template, ...]
"""Templates of the arguments of a kernel."""


@final
class ProgramAndForm(NamedTuple):
    """The program of a kernel, and the form of its result."""

    program: Program
    form: ResultForm


def record_kernel(
    kernel: Kernel[..., Any], mechanism: Mechanism, templates: Templates, parameters: Sequence[ParameterName] = ()
) -> ProgramAndForm:
    """Return the program of a kernel for templates of its arguments, and the form of its result.

    Inputs are q, v, one per argument with numbers, then the parameters.
    """

    def arguments(graph: Graph) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
        return tuple(_argument(graph, template, k) for k, template in enumerate(templates)), {}

    with recording() as graph:
        result = run_recorded(
            graph, kernel.function, mechanism, arguments, parameters=parameters, regroup=kernel.regroup
        )
        outputs, form = recorded_result(result, multiple_outputs=kernel.multiple_outputs)
        return ProgramAndForm(Program.of(graph, kernel.name, outputs), form)


def flatten_arguments(args: Sequence[object]) -> tuple[Templates, Sequence[Array]]:
    """Return the templates of arguments, and their numbers; raise FlatteningError for other numbers than floats."""
    templates: list[Template] = []
    arrays: list[Array] = []
    for value in args:
        template, numbers = flatten(value)
        templates.append(template)
        if numbers:
            arrays.append(np.array(numbers[0] if template is NUMBER else numbers))
    return tuple(templates), arrays


def _argument(graph: Graph, template: Template, number: int) -> Any:
    """Return an argument with recorded scalars in the place of its numbers."""
    size, name = template.count, f"argument_{number}"
    if template is NUMBER:
        return graph.input(name, ())
    return template.unflattener()(graph.input(name, (size,)) if size else ())
