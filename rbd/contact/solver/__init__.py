"""Contact dynamics: accelerations and impacts.

results.py                 results of all solvers
contacts.py                contacts of a state, terms of its equations of motion
residuals.py               violations of the KKT conditions
constrained_motion.py      Gauss's principle
quadratic_program.py       `solve_qp`
impacts.py                 impact laws, `impact`
contact_rows.py            rows of contact points in groups, one for every two bodies
friction_cone.py           tangents and edges of friction cones
contact_problem.py         the problem of contact accelerations, with and without friction
coulomb.py                 its solution
repeated_programs.py       the same by solvers of quadratic programs only
contact_accelerations.py   `solve_contact`
"""
