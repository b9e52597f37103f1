"""Geometry from files: triangle meshes, their convex hulls, and grids of heights.

mesh_files.py      vertices and triangles from STL, OBJ and MSH
colored_meshes.py  those of more formats, with colours, by trimesh
convex_hulls.py    convex hulls by SciPy
rounded_hulls.py   `MeshHull`: rounded hulls of a few vertices, for collision models
height_grids.py    grids of heights from images and binary files
"""
