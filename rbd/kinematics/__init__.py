"""Kinematics of any state: poses, twists, accelerations and inertias of bodies, in any frame.

passes.py       recursions over all bodies with cached results: poses, twists, inertias
queries.py      State: queries with framed results
conversions.py  v to dq/dt and back, and the adjoints for forces
"""
