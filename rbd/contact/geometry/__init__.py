"""Shapes and the distance between two of them, as functions of scalars in one common frame.

A shape of users is placed in a common frame (`place`). `nearest_points` chooses the function of a pair of kinds, which
returns a `Separation`: signed distance, nearest points and normal. `contact_points` returns several of these.

shapes.py              capsules, spheres and boxes, as users make them
convex_hulls.py        `ConvexHull`
height_fields.py       `HeightField`
round_solids.py        `Cylinder` and `Ellipsoid`
placed_shapes.py       the same in a common frame
shape_kinds.py         the table of kinds of shapes: places, sizes, spheres and rows
shape_rows.py          placed shapes as rows of scalars
separations.py         signed distance, nearest points and normal of two shapes
shape_distance.py      the same of any two shapes: the table of pairs of kinds
contact_points.py      the points at which two shapes rest on each other
vectors.py             choices between vectors; directions that stay defined where a difference vanishes
segment_distance.py    nearest points of two segments
box_distance.py        nearest points of a box and another solid
cylinder_distance.py   nearest points of a cylinder and a half-space or sphere; its contact points
ellipsoid_distance.py  nearest points of an ellipsoid and a half-space or sphere, by an intrinsic
height_lookup.py       grid points of a height field around a place: an intrinsic
height_distance.py     nearest points of a sphere and a height field
facing_hulls.py        cylinders and ellipsoids as convex hulls, towards another shape
hull_distance.py       nearest points of two convex hulls
convex_features.py     nearest features of two convex hulls, by GJK: an intrinsic of these
simplices.py           the nearest point of a simplex of differences to zero
face_completion.py     triangles of faces of which a point or an edge is known
float_vectors.py       vectors of three floats in the language of intrinsics
face_contacts.py       contact points of two faces
support_polygons.py    corners of the face with which a convex hull rests: an intrinsic
clipped_polygons.py    corners of the region that two faces cover: an intrinsic
"""
