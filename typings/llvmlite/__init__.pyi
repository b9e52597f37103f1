"""The part of llvmlite that rbd.native uses."""

__version__: str
