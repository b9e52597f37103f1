"""Machine code of simulations: blocks of steps, and the stages of a step.

compiled_steps.py  compiled steps and stages of a mechanism, kept until it is edited
blocks.py          programs of many steps per call
block_runs.py      run paths of blocks of steps and of stages
stages.py          stages in machine code around a control in Python
refused_steps.py   steps that this machine code refuses, in Python
stage_programs.py  programs of stages
stage_memory.py    their arrays
stage_loads.py     forces that are recorded with a stage, or added before it
"""
