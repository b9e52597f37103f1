"""Contact dynamics: accelerations and impacts.

results.py            results of all solvers
contacts.py           contacts of a state, terms of its equations of motion
point_jacobian.py     relative velocity at a contact point
friction_cone.py      tangents and edges of friction cones
residuals.py          violations of the KKT conditions
constrained_motion.py Gauss's principle
quadratic_program.py  `solve_qp`
impacts.py            velocities: impact laws, `impact`
accelerations/        accelerations: Coulomb's law, `solve_contact`
"""
