"""Simulation with contacts: steps in a loop, with a control.

simulator.py      `ContactSimulator`
options.py        its options: the threshold at which pairs touch, and those of its steps
control.py        its control: none, a callback in Python, or a part of the step
recorded_step.py  one step, as a function to record: `contact_step` with friction, else
impact_step.py    an impact of the pairs that have just met, then accelerations
native_loop.py    the loop over steps in machine code
trajectory.py     trajectories and their events
"""
