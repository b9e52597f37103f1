"""One time step with contacts, and its derivatives.

`contact_step` checks its arguments and evaluates a recorded function: `problem.py` makes a quadratic program, whose
rows are those of contact points and joints, `solution.py` solves it and moves the mechanism. Simulators and worlds
record the same two functions.

contact_step.py  `contact_step`: one step on velocities, with friction
options.py       options: friction, margin, and `JointOptions`
calls.py         calls: arguments are checked, functions recorded
problem.py       the quadratic program of a step
point_rows.py    rows of a contact point
row_groups.py    rows of points in groups, one for every two bodies
spring_rows.py   rows of a compliant contact point
joint_rows.py    rows of joints: stops, dry friction; implicit damping and gains
solution.py      the solution of the program, and the motion of the mechanism
overlaps.py      displacements that remove overlaps
transport.py     velocities from the frames at the beginning of a step to those at its end
derivatives.py   `contact_step_derivatives`
switches.py      pairs at which steps are not differentiable
"""
