"""Linear equations: with definite, square, and any matrices.

ltdl_factor.py               A = LᵀDL written out; large recordings call the intrinsics of the next two
positive_definite.py         solve_positive_definite: dense, one factor and many right-hand sides
factored.py                  solve_factored: a sparse factor that is known, many right-hand sides
partial_pivoting.py          solve_square, determinant
minimum_norm.py              minimum_norm_solve: any matrix, of any rank
orthogonal_decomposition.py  the rank-revealing decomposition that it takes
pseudo_inverse.py            derivatives of the minimum-norm solution
sparse_minimum_norm.py       the same for many sparse rows, block by block (block_rows.py)
factor_derivative.py         derivatives of a factor
"""
