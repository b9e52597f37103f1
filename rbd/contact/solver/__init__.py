"""Contact dynamics: accelerations and impacts.

results.py                 results of all solvers
constrained_motion.py      Gauss's principle and its KKT conditions
quadratic_program.py       `solve_qp`
impacts.py                 impact laws, `impact`
friction_cone.py           tangents and edges of friction cones
contact_problem.py         the problem of contact accelerations, with and without friction
coulomb.py                 its solution
contact_accelerations.py   `solve_contact`
"""
