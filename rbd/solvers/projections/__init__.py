"""Quadratic programs as projections onto polyhedra: many of them side by side in vector registers.

In the coordinates in which the Hessian is the identity, a program asks for the point nearest to zero in a polyhedron.
What happens to it:

    program ──► scaled_program.py: coordinates, rows of length one, units
                  │                            │ some group of rows is redundant
                  │                            ▼
                  │              row_groups.py: rows as products U = W T
                  │                            ▼
                  │              warm_start.py: a point near the solution
                  │                            │ by dual_active_set.py or interior_point.py
                  ▼                            ▼
    polyhedral_projection.py     grouped_projection.py: checks it with W and T
                  │                            │ only where it is not near enough
                  └────► projection_newton.py ◄┘
                                │ only where the residual is too large
                                ▼
                  solve_guarded_quadratic_program (rbd/solvers/quadratic)

projected_program.py      solve_projected_program: the whole route
scaled_program.py         the program as a projection, in units of its own
polyhedral_projection.py  the projection, its derivatives, the sparsity of rows
projection_newton.py      Newton's method
row_groups.py             rows in groups, and where W and T are in operands
cone_rows.py              rows in groups as cones, and where their wrenches are in operands
twist_space.py            twists of groups as unknowns
warm_start.py             the choice between the next two
dual_active_set.py        an active-set method in terms of twists
interior_point.py         an interior-point method; interior_point_workspace.py has its arrays,
                          interior_point_intervals.py its interval rows
grouped_projection.py     the check in terms of groups, and its derivatives
"""
