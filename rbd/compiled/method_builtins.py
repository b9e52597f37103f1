"""Builtins that replace methods of compiled robots: signatures, options and guards."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias, final

import attrs
import numpy as np

from rbd import native
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.parameter_checks import has_check
from rbd.array_functions.wrench_inputs import WrenchInputs
from rbd.mechanism import Mechanism
from rbd.mechanism.members import versions_of
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.builtins.builtin import Binding
    from rbd.native.builtins.context import Guards
    from rbd.native.builtins.parameters import CallParameter, CallSignature

RecordedOptions: TypeAlias = Mapping[str, object]
"""Values of the options that a function was recorded for, by the names of parameters of its method."""

NOT_FOR_BUILTINS: Final = object()
"""The value of an option that builtins do not take."""


@final
@attrs.frozen(eq=False)
class WrenchKeys:
    """The keys of external wrenches that a call gives as arrays, in the order of the function's inputs."""

    keys: tuple[object, ...]
    inputs: WrenchInputs


def builtin_documentation(method: Callable[..., object]) -> str:
    r"""Return the docstring of a builtin for a method: its signature, which `inspect` parses, then the text.

    >>> class Adder:
    ...     def add(self, x, *, to=1):
    ...         "Return the sum."
    >>> builtin_documentation(Adder().add)
    'add($self, x, *, to=1)\n--\n\nReturn the sum.'
    """
    parameters = inspect.signature(method).parameters.values()
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_literal(parameter)) for parameter in parameters
    ]
    inside = str(inspect.Signature(plain))[1:].replace("=Ellipsis", "=...")
    return f"{method.__name__}($self, {inside}\n--\n\n{inspect.getdoc(method) or ''}"


def _literal(parameter: inspect.Parameter) -> object:
    """Return a default value as source that `inspect` can parse: an ellipsis for values that are not literals."""
    plain = (bool, int, float, str, type(None))
    default: object = parameter.default
    return default if default is inspect.Parameter.empty or isinstance(default, plain) else ...


def version_guards(mechanism: Mechanism, versions: tuple[int, int]) -> Guards:
    """Return guards that run a builtin only at these versions of the mechanism; none without machine code."""
    if not native.available():
        return ()
    from rbd.native.builtins.context import Word

    return tuple((Word(versions_of(mechanism), k), version) for k, version in enumerate(versions))


def options_key(options: RecordedOptions) -> tuple[object, ...]:
    """Return the key of options: texts by value, all else by identity."""
    return tuple(_key(value) for value in options.values())


def _key(value: object) -> object:
    if isinstance(value, WrenchKeys):
        return tuple(map(_key, value.keys))
    return value if isinstance(value, str) else id(value)


def method_binding(
    method: Callable[..., object], function: RecordedFunction, options: RecordedOptions, guards: Guards
) -> Binding:
    """Return the binding of a builtin that takes calls of `method` with these options."""
    from rbd.native.builtins.builtin import Binding

    names = [port.name for port in function.outline.inputs]
    series_input = names.index("tau") if "steps" in inspect.signature(method).parameters else None
    return Binding(guards=guards, signature=_signature(method, function, options), series_input=series_input)


def _signature(method: Callable[..., object], function: RecordedFunction, options: RecordedOptions) -> CallSignature:
    """Return the parameters of the builtin: those of the method, then parameters of the mechanism.

    Parameters of the mechanism whose values must be checked are left to the method.
    """
    from rbd.native.builtins.parameters import CallParameter, CallSignature

    ports = function.outline.inputs
    values = function.defaults
    places = {port.name: k for k, port in enumerate(ports)} | {"steps": len(ports)}
    zeros = {port.name: np.zeros(port.shape) for port in ports if port.name == "tau"}
    signature = [each for each in inspect.signature(method).parameters.values() if each.kind is not each.VAR_KEYWORD]
    parameters = [_parameter(each, places, zeros, options) for each in signature]
    parameters += [CallParameter.input(name, places[name], None) for name in values if not has_check(name)]
    optional = {each.name for each in signature if each.default is None}
    defaults = {**values, **{name: value for name, value in zeros.items() if name in optional}}
    return CallSignature(parameters, [*(defaults.get(port.name) for port in ports), None])


def _parameter(
    given: inspect.Parameter, places: Mapping[str, int], zeros: Mapping[str, Array], options: RecordedOptions
) -> CallParameter:
    """Return the parameter of a builtin for one of its method; `places` are those of inputs, by name."""
    from rbd.native.builtins.parameters import CallParameter

    name, is_positional, is_required = given.name, given.kind is not given.KEYWORD_ONLY, given.default is given.empty
    if name == "out":
        return CallParameter.result(name)
    if name in places:
        default = zeros.get(name)
        required = is_required or name == "s"
        return CallParameter.input(name, places[name], default, is_required=required, is_positional=is_positional)
    value = options.get(name, given.default)
    if isinstance(value, WrenchKeys):
        return CallParameter.mapping(name, places[value.inputs[0].name], value.keys)
    is_other = is_required or value is not given.default
    return CallParameter.constant(name, value, is_required=is_other, is_positional=is_positional)
