"""Collision models: the pairs of shapes of a mechanism, their signed distances and contact Jacobians.

A `CollisionModel` records functions of all pairs (`pair_functions.py`), each of `contact_kinematics.py`. Of many pairs
the broad phase finds the near ones, which the narrow phase computes in batches, by rows of a `ShapeTable`.

pairs.py                pairs of shapes
compliance.py           spring and damper of a pair
distances.py            the distance of a pair, as users get it
contact_kinematics.py   distance, contact Jacobian and its rate, as functions of a state
collision_pairs.py      the shapes and pairs that a model holds
shape_table.py          shapes and pairs as arrays
broad_phase.py          which of many pairs may be near
narrow_phase.py         distances and Jacobian rows of selected pairs
recorded_functions.py   recorded functions of one mechanism, until it is edited
pair_functions.py       distances, Jacobian and bias of all pairs, as functions to record
collision_model.py      `CollisionModel`
evaluation.py           evaluates functions of a state and a collision model
"""
