"""Time stepping with contacts.

`contact_step` checks its arguments and evaluates a recorded function: `step_problem` makes a quadratic program, whose
rows are those of contact points and joints, `solved_step` solves it and moves the mechanism. Simulators and worlds
record the same two functions.

time_stepping.py        `contact_step`: one step on velocities, with friction
step_call.py            checks of its arguments, and its evaluation
step_options.py         options of a step
step_problem.py         the quadratic program of a step
point_rows.py           rows of a contact point
row_groups.py           rows of points in groups, one for every two bodies
spring_rows.py          rows of a compliant contact point
joint_options.py        stops, dry friction, implicit damping and gains of joints
solved_step.py          the solution of the program, and the motion of the mechanism
overlaps.py             displacements that remove overlaps
transport.py            velocities from the frames at the beginning of a step to those at its end
step_derivatives.py     `contact_step_derivatives`
switches.py             pairs at which steps are not differentiable
simulator.py            `ContactSimulator`
step_control.py         its control
simulator_settings.py   settings of the simulator: its scheme
simulation_step.py      one step of the simulator, as a function to record
native_steps.py         the loop of the simulator in machine code
trajectory.py           trajectories of simulations
"""
