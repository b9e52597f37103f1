"""Programs of simulations: blocks of steps, and the stages of a step; interpreted in short runs, compiled in long ones.

recorded_steps.py    programs of steps and stages of a mechanism, kept until it is edited; when they are compiled
repeated_step.py     many steps per call
block_runs.py        run paths of blocks of steps and of stages
recorded_stages.py   stages around a control in Python
refused_steps.py     steps that these programs refuse, in Python
specs.py             specifications of stages, and of steps with a recorded controller
stage_programs.py    programs of stages
stage_memory.py      their arrays
stage_loop.py        the loop over them
interpreted_loop.py  that loop without the compiler
stage_loads.py       forces that are recorded with a stage, or added before it
"""
