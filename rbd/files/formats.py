"""File formats: their names, and the errors that refuse their files."""

from __future__ import annotations

from typing import final

import attrs

from rbd.errors import (
    FileError,
    MjcfPathError,
    MjcfRefusedError,
    MjcfSyntaxError,
    MjcfValueError,
    UrdfPathError,
    UrdfRefusedError,
    UrdfSyntaxError,
    UrdfValueError,
)


@final
@attrs.frozen
class Format:
    """One file format, for the modules that serve them all."""

    name: str
    syntax_error: type[FileError]
    refused_error: type[FileError]
    value_error: type[FileError]
    path_error: type[FileError]

    @property
    def limits(self) -> str:
        """The name of the class of limits."""
        return f"{self.name.capitalize()}Limits"

    @property
    def loader(self) -> str:
        """The name of the function that reads files."""
        return f"load_{self.name.lower()}"

    @property
    def parser(self) -> str:
        """The name of the function that reads text."""
        return f"parse_{self.name.lower()}"


URDF = Format("URDF", UrdfSyntaxError, UrdfRefusedError, UrdfValueError, UrdfPathError)
MJCF = Format("MJCF", MjcfSyntaxError, MjcfRefusedError, MjcfValueError, MjcfPathError)
