"""Results of `dynamics`: their arrays, the kernels that compute these, and fast paths that write them.

dynamics_result.py  DynamicsResult: arrays, and framed values
solution.py         Solution, the data of one solution; kernels that compute it, and calls of them
solved_motion.py    SolvedMotion: its framed values, computed when they are asked for
result_writer.py    machine code that writes the arrays
"""
