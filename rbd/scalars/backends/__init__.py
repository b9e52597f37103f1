"""The scalar families, one file each.

`real`, `constant`, `complexes` and `exact` are registered when `rbd.scalars` is imported; `symbolic` (SymPy),
`arbitrary` (mpmath numbers) and `interval` (mpmath intervals) when the first operand of theirs turns up.
"""
