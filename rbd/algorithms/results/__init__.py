"""Results of `dynamics`: their arrays, and what fills them.

dynamics_result.py  DynamicsResult: arrays, and framed values computed from them
solution.py         Solution, the data of one solution; kernels that compute it, and calls of them
result_writer.py    machine code that writes the arrays
"""
