"""Names of bodies, joints and frames: checks, and the error for unknown ones."""

from __future__ import annotations

from collections.abc import Container, Iterable

from rbd.errors import ArgumentError, UnknownNameError, quoted

_MAX_COMPARED = 4096  # beyond this many names the closest one is not searched for
_MAX_LISTED = 6


def require_name(name: object, what: str) -> str:
    """Return `name` if it can name a body, joint or frame; raise ArgumentError otherwise."""
    if not isinstance(name, str) or not name.strip():
        shown = quoted(name) if isinstance(name, str) else type(name).__name__
        raise ArgumentError(
            f"the name of a {what} must be text that is not empty, not {shown}", argument="name", value=name
        )
    return name


def free_name(name: str, taken: Container[str]) -> str:
    """Return `name`, with as many underscores behind it as make it new."""
    while name in taken:
        name += "_"
    return name


def require_text(value: object, argument: str, allowed: str) -> str:
    """Return `value` if it is text; raise ArgumentError otherwise."""
    if isinstance(value, str):
        return value
    raise ArgumentError(
        f"{argument} must be {allowed}, not {type(value).__name__}", argument=argument, value=value, allowed=allowed
    )


def unknown_name(kind: str, name: str, known: Iterable[str], remark: str = "", more: str = "") -> UnknownNameError:
    """Return the error that says there is no such name, with the closest one there is."""
    import difflib

    names = tuple(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5) if len(names) <= _MAX_COMPARED else []
    suggestion = close[0] if close else None
    some = "" if more else _some_of(name, names)
    hint = f"; did you mean {quoted(suggestion)}?" if suggestion else f" among {len(names)}{some}"
    message = f"no {kind} is named {quoted(name)}{remark or hint}{more}"
    return UnknownNameError(message, kind=kind, name=name, known=names, suggestion=suggestion)


def _some_of(name: str, names: tuple[str, ...]) -> str:
    """Return the end of a message that lists names: those that contain `name`, or else the first ones."""
    containing = [each for each in names if name.casefold() in each.casefold()] if name.strip() else []
    listed = ", ".join(quoted(each) for each in (containing or names)[:_MAX_LISTED])
    rest = ", ..." if len(containing or names) > _MAX_LISTED else ""
    return f": {listed}{rest}" if listed else ""
