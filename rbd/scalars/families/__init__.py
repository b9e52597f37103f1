"""Built-in scalar families, one module each; each registers its family for the types of its operands.

The modules imported here do so when `rbd.scalars` is imported; `symbolic` (SymPy), `arbitrary` (mpmath numbers) and
`interval` (mpmath intervals) when their first operand occurs.
"""

from rbd.scalars.families import complexes, constant, exact, real

__all__ = ["complexes", "constant", "exact", "real"]
