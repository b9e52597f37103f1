"""Quantities of the recursive algorithms; functions that return them say so.

classical.py           ClassicalAcceleration, ClassicalMotion: accelerations of frame origins
predecessor_motion.py  PredecessorMotion: motion of a joint's predecessor
articulated.py         ArticulatedInertia: apparent inertia of a body and its subtree
coriolis.py            CoriolisOperator
column_operations.py   operations on matrices of columns
"""
