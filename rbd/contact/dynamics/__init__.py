"""Contact dynamics: accelerations and impacts.

contacts.py        contacts of a state, terms of its equations of motion
point_jacobian.py  relative velocity at a contact point
friction_cone.py   tangents and edges of friction cones
gauss_principle.py the motion nearest to the free one, by three methods
residuals.py       violations of the KKT conditions
accelerations/     accelerations: Coulomb's law, `solve_contact`
impacts.py         velocities: impact laws, `impact`
solve_qp.py        `solve_qp`
results.py         results of these functions
"""
