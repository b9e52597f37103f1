"""Built-in scalar families, one module each.

`real`, `constant`, `complexes` and `exact` are registered when `rbd.scalars` is imported; `symbolic` (SymPy),
`arbitrary` (mpmath numbers) and `interval` (mpmath intervals) when their first operand occurs.
"""
