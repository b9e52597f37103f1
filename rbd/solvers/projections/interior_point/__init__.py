"""Mehrotra's predictor-corrector interior-point method, for rows in groups and interval rows.

Mehrotra (SIAM Journal on Optimization 2, 1992) for the point z of U z >= c nearest to zero, with slacks s = U z - c and
multipliers lam: Newton's method on z = U'lam, s lam = target, whose steps stay inside s, lam > 0:

    z = 0; s, lam with equal products                                 pairs.py: begin
    until all products s lam are small:                               method.py: _iterate
        factor I + U'DU, D = lam / s
        predictor: the step towards products of zero, and how long it may be
        target = (mean product) (share of the products it leaves)³
        corrector: the step towards the target, with the predictor's products of changes
        take 99.5 % of the way to the boundary

The number of iterations hardly depends on the rows: those that depend on each other share their load.

For rows U = W T of a group, U'DU = T'(W'DW)T, where W has six columns at most. Interval rows are sparse. Where none of
any lane has a multiplier, they are skipped, with the columns that only they touch: what is skipped would add zeros. All
lanes run the same loops; lanes that are done stay as they are.

workspace.py      names of all arrays
method.py         the loop, the results, the intrinsic
pairs.py          slacks and multipliers: beginning and step
grouped_rows.py   rows in groups
interval_rows.py  interval rows: stops and dry friction
"""
