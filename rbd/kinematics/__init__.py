"""Kinematics of any state: poses, twists, accelerations and inertias of bodies, in any frame.

passes.py             recursions over all bodies with cached results: poses, twists, inertias
queries.py            State: queries with framed results
body_fixed_frames.py  frames fixed to bodies
change_of_frame.py    change of frame of values
conversions.py        v to dq/dt and back, and the adjoints for forces
regroup.py            base parameters: fewer inertial parameters with the same joint torques
"""
