"""Time steps of fixed length: functions of a state that return the next one, to be recorded.

steps.py                whole steps: Munthe-Kaas with the classical Runge-Kutta method, semi-implicit Euler
stages.py               single stages of Runge-Kutta methods, for controllers that are called between them
runge_kutta.py          tableaux, and the arithmetic of stages and steps
continuous_dynamics.py  rates of coordinates, velocities and contact states
local_coordinates.py    local coordinates around the configuration at which a step begins
fixed_step.py           names of the methods, and the step of a vector
step_count.py           number of steps of a run
"""
