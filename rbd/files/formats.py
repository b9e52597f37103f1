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
    """A file format: its name, its errors, and the names of its public functions, for messages."""

    name: str
    syntax_error: type[FileError]
    refused_error: type[FileError]
    value_error: type[FileError]
    path_error: type[FileError]

    @property
    def limits_class(self) -> str:
        """The name of the class of limits."""
        return f"{self.name.capitalize()}Limits"

    @property
    def load_function(self) -> str:
        """The name of the function that reads files."""
        return f"load_{self.name.lower()}"

    @property
    def parse_function(self) -> str:
        """The name of the function that reads text."""
        return f"parse_{self.name.lower()}"


URDF = Format("URDF", UrdfSyntaxError, UrdfRefusedError, UrdfValueError, UrdfPathError)
MJCF = Format("MJCF", MjcfSyntaxError, MjcfRefusedError, MjcfValueError, MjcfPathError)
