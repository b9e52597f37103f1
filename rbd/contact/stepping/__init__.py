"""Time stepping with contacts.

time_stepping.py      `contact_step`: one step on velocities, with friction
step_options.py       options of a step
step_call.py          checks of its arguments, and its evaluation
point_rows.py         the rows of a contact point
step_problem.py       its quadratic program
solved_step.py        its solution
transport.py          velocities from the frames at the beginning of a step to those at its end
overlaps.py           displacements that remove overlaps
joint_options.py      stops, dry friction, implicit damping and gains of joints
spring_rows.py        compliant points in its quadratic program
step_derivatives.py   `contact_step_derivatives`
switches.py           pairs at which steps are not differentiable
simulator_settings.py  settings of the simulator: its scheme
simulation_step.py    one step of the simulator, as a function to record
trajectory.py         what a simulation returns
simulator.py          `ContactSimulator`
native_steps.py       its loop in machine code
"""
