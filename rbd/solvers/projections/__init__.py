"""Quadratic programs as projections onto polyhedra: many of them side by side in vector registers.

The problem. In the coordinates in which the Hessian is the identity, and seen from the minimum without constraints, a
program asks for the point z that minimises

    1/2 |z|² + f'|u|   subject to   U z >= c,   lower <= u <= upper,   u = V z - u0

The rows of U have one side c. Those of V, interval rows, have two bounds and dry friction f >= 0: stops of joints. With
multipliers lam of U and mu of V the solution has

    z = U'lam + V'mu,   lam >= 0,   U z - c >= 0,   lam (U z - c) = 0,
    mu = prox(mu - u)   for the proximal operator of f|u| with the bounds.

The residual is the largest error of these; `ACCURACY` (1e-10) is accepted, in units in which rows have length one and
the largest violation at z = 0 is one.

The methods, each in a folder that states its algorithm:

    augmented_lagrangian/  semismooth Newton steps (Li, Sun, Toh 2018)     any rows; most steps of robots
    dual_active_set/       Goldfarb, Idnani 1983                           U = W T with few twists, no stop near
    interior_point/        Mehrotra 1992                                   U = W T otherwise

The last two begin where some group of rows is redundant: contact points of two bodies have rows U = W T, wrenches W of
the points times the map T to the relative twist T z, of six entries. What they find is the warm start of the first.
What that does not solve goes to the active-set method of one program, `rbd/solvers/quadratic`, which also reports
infeasible ones:

    projected_program.py ──► scaled_program.py
                  │                    │ some group of rows is redundant
                  │                    ▼
                  │              warm_start.py ──► dual_active_set/ or interior_point/
                  ▼                    ▼
    polyhedral_projection.py     grouped_projection.py: checks the warm start with W and T
                  │                    │ only where its residual is too large
                  └───────►◄───────────┘
              augmented_lagrangian/
                  │ only where the residual is too large
                  ▼
    solve_guarded_quadratic_program (rbd/solvers/quadratic)

Words and letters:

    n, m           unknowns; rows
    group, g       rows W T of two bodies; a twist is T z, its wrench W'lam
    cone           a polyhedral friction cone: rows n + t and n - t of one contact point, for each tangent t; n alone
                   without tangents
    part           n, or one of the t, of all cones of a group
    chunk          rows or cones of a group that are processed together
    needed         1 in lanes that a method is to solve
    w              the workspace: all arrays of a method, declared once

projected_program.py      solve_projected_program: the whole route
scaled_program.py         the program as a projection, in units of its own
row_groups.py             rows in groups U = W T, and where W and T are in operands
cone_rows.py              rows in groups as cones, and where their wrenches are in operands
twist_space.py            twists of groups as unknowns: C C' = T T'
warm_start.py             the choice of a method for rows in groups, and its operands
polyhedral_projection.py  the intrinsic for any rows; its derivatives are in projection_derivative.py
grouped_projection.py     the intrinsic for rows in groups; its derivatives are in grouped_projection_derivative.py
grouped_check.py          its function: the check of the warm start
"""
