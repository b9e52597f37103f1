"""Accelerations with contacts and friction.

contact_problem.py    the problem of contact accelerations, with and without friction
coulomb.py            Coulomb's law as a linear complementarity problem: its solution and its residual
repeated_programs.py  Coulomb's law by solvers of quadratic programs only
solution_fields.py    the fields of `ContactSolution`, by any solvers
solve_contact.py      `solve_contact`
"""
