"""States as algorithms read them, in any family of scalars: layout, parameters, frames, passes and queries.

state_view.py        StateView: the interface of states for algorithms
queries.py           State: queries with framed results
scalar_state.py      ScalarState: coordinates of any scalars
layout.py            indices of bodies and joints, slices of q, v and constraint rows
frames.py            frames attached to bodies
parameters.py        parameters as inputs of recordings
passes.py            recursions over all bodies with cached results: poses, twists, inertias
regroup.py           base parameters: fewer inertial parameters with the same joint torques
conversions.py       v to dq/dt and back
joint_values.py      arrays indexed by joints
kernel.py            Kernel: the source of an algorithm
engine_interface.py  Engine, KernelCall: how a state evaluates kernels
value_tree.py        nested values as numbers and a template
finite.py            whether results are finite
display.py           states as text
"""
